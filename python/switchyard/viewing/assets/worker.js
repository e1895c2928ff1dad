// SPDX-License-Identifier: Apache-2.0
// Places the members of one group: runs beside the page.
// Takes {ticket, sizes: [[width, height]], edges: [[from, to]]}.
function place(task) {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ranksep: 34, nodesep: 18, edgesep: 8, marginx: 0, marginy: 0,
    ranker: "tight-tree"});
  graph.setDefaultEdgeLabel(() => ({}));
  task.sizes.forEach(([width, height], i) =>
    graph.setNode(String(i), {width, height}));
  for (const [from, to] of task.edges) graph.setEdge(String(from), String(to));
  dagre.layout(graph);
  const whole = graph.graph();
  return {
    ticket: task.ticket,
    width: whole.width, height: whole.height,
    places: task.sizes.map((_, i) => {
      const node = graph.node(String(i));
      return [node.x - node.width / 2, node.y - node.height / 2];
    }),
    lines: task.edges.map(([from, to]) =>
      graph.edge(String(from), String(to)).points.map(({x, y}) => [x, y])),
  };
}
