# SPDX-License-Identifier: Apache-2.0
"""Exports programs on sequences as fluid 1.x wrote them, with PaddlePaddle 2.6.2: `python export_sequences.py FOLDER`.

A program is FOLDER/NAME/__model__ with `__params__`; FOLDER/NAME/golden.npz holds two runs: inputs (`R.in.NAME`),
outputs in order (`R.out.N`), and in `lod` lengths of sequences by key, as JSON. Layers that 2.6.2 has no more
(DynamicRNN, beam search) are written here by their operators. Made for tests/paddle_programs/exported_sequences.
"""
import json
import pathlib
import sys

import numpy as np
import paddle
from paddle import static
from paddle.base import core, unique_name
from paddle.static import nn

Kind = core.VarDesc.VarType
WORDS, WIDTH, BEAM, END = 12, 6, 3, 1
random = np.random.RandomState(7)


def block():
    return static.default_main_program().current_block()


def parent():
    return static.default_main_program().block(block().parent_idx)


def variable(dtype=None, kind=Kind.LOD_TENSOR, of=None, shape=None):
    return (of or block()).create_var(name=unique_name.generate("tmp"), dtype=dtype, type=kind, shape=shape)


def call(op, inputs, outputs, of=None, **attrs):
    """Appends an operator; `outputs` are {slot: dtype, or a variable}. Returns the first."""
    of = of or block()
    made = {slot: out if isinstance(out, static.Variable) else variable(out, of=of) for slot, out in outputs.items()}
    of.append_op(type=op, inputs=inputs, outputs=made, attrs=attrs)
    return next(iter(made.values()))


def number(value, dtype="int64", of=None):
    return call("fill_constant", {}, {"Out": dtype}, of, shape=[1], dtype=core.VarDesc.VarType.INT64 if dtype == "int64"
                else core.VarDesc.VarType.BOOL, value=float(value))


def array(dtype, of=None):
    return variable(dtype, Kind.LOD_TENSOR_ARRAY, of)


def write(x, i, to, of=None):
    call("write_to_array", {"X": x, "I": i}, {"Out": to}, of)


def read(x, i, of=None):
    return call("read_from_array", {"X": x, "I": i}, {"Out": x.dtype}, of)


class DynamicRnn:
    """A network that steps over sequences, the longest first: a batch that shrinks."""

    def __init__(self):
        self.step, self.zero = number(0), number(0)
        self.table = self.longest = self.steps = None
        self.links, self.results = [], []
        self.going = variable("bool")
        self.going.stop_gradient = True
        self.loop = paddle.static.nn.control_flow.While(self.going)

    def step_input(self, x, level=0):
        of = parent()
        if self.table is None:
            self.table = variable(kind=Kind.LOD_RANK_TABLE, of=of)
            call("lod_rank_table", {"X": x}, {"Out": self.table}, of, level=level)
            self.longest = call("max_sequence_len", {"RankTable": self.table}, {"Out": "int64"}, of)
            call("less_than", {"X": self.step, "Y": self.longest}, {"Out": self.going}, of)
        steps = array(x.dtype, of)
        call("lod_tensor_to_array", {"X": x, "RankTable": self.table}, {"Out": steps}, of)
        self.steps = self.steps or steps
        return read(steps, self.step)

    def static_input(self, x):
        ordered = call("reorder_lod_tensor_by_rank", {"X": x, "RankTable": self.table}, {"Out": x.dtype}, parent())
        return self.shrunk(ordered)

    def shrunk(self, x):
        return call("shrink_rnn_memory", {"X": x, "RankTable": self.table, "I": self.step}, {"Out": x.dtype})

    def memory(self, init=None, width=None):
        of = parent()
        if init is None:
            first = read(self.steps, self.zero, of)
            init = call("fill_constant_batch_size_like", {"Input": first}, {"Out": "float32"}, of, shape=[-1, width],
                        value=0.0, dtype=Kind.FP32, input_dim_idx=0, output_dim_idx=0)
        else:
            init = call("reorder_lod_tensor_by_rank", {"X": init, "RankTable": self.table}, {"Out": init.dtype}, of)
        states = array(init.dtype, of)
        write(init, self.zero, states, of)
        state = self.shrunk(read(states, self.step))
        self.links.append((state, states))
        return state

    def update(self, memory, value):
        self.links = [(value if state is memory else state, states) for state, states in self.links]

    def output(self, value):
        kept = array(value.dtype, parent())
        write(value, self.step, kept)
        self.results.append(kept)

    def end_step(self):
        paddle.increment(self.step)
        for value, states in self.links:
            write(value, self.step, states)
        call("less_than", {"X": self.step, "Y": self.longest}, {"Out": self.going})

    def __call__(self):
        return [call("array_to_lod_tensor", {"X": kept, "RankTable": self.table}, {"Out": kept.dtype})
                for kept in self.results]


def words(name):
    return static.data(name, [-1, 1], "int64", lod_level=1)


def embedded(ids, name):
    table = static.create_parameter([WORDS, WIDTH], "float32", name=name)
    return call("lookup_table", {"W": table, "Ids": ids}, {"Out": "float32"}, padding_idx=-1)


def encoded(source):
    """States of a gru over the words, and the last of each sentence."""
    gates = nn.fc(embedded(source, "source_words"), 3 * WIDTH, bias_attr=False)
    weight = static.create_parameter([WIDTH, 3 * WIDTH], "float32")
    states = call("gru", {"Input": gates, "Weight": weight},
                  {"Hidden": "float32", "BatchGate": "float32", "BatchResetHiddenPrev": "float32",
                   "BatchHidden": "float32"}, activation="tanh", gate_activation="sigmoid", is_reverse=False)
    return states, nn.sequence_lod.sequence_last_step(states)


def attended(states, keys, state):
    """The mean of a sentence's states, weighted by how they agree with a decoder's state."""
    query = nn.sequence_lod.sequence_expand(nn.fc(state, WIDTH, bias_attr=False), keys)
    scores = nn.fc(paddle.tanh(keys + query), 1, bias_attr=False)
    weights = paddle.reshape(nn.sequence_lod.sequence_softmax(scores), [-1])
    scaled = call("elementwise_mul", {"X": states, "Y": weights}, {"Out": "float32"}, axis=0)
    return nn.sequence_lod.sequence_pool(scaled, "sum")


def attention():
    """Translation with attention, as it is trained: a DynamicRNN over the words of the target."""
    source, target = words("source"), words("target")
    states, last = encoded(source)
    keys = nn.fc(states, WIDTH, bias_attr=False)
    given = embedded(target, "target_words")
    rnn = DynamicRnn()
    with rnn.loop.block():
        word = rnn.step_input(given)
        all_states, all_keys = rnn.static_input(states), rnn.static_input(keys)
        state = rnn.memory(init=last)
        context = attended(all_states, all_keys, state)
        after = nn.fc([context, word, state], WIDTH, activation="tanh")
        rnn.update(state, after)
        rnn.output(nn.fc(after, WORDS, activation="softmax"))
        rnn.end_step()
    return [source, target], rnn()


def paragraphs():
    """A DynamicRNN over the sentences of paragraphs, whose steps are sequences again."""
    text = static.data("text", [-1, 1], "int64", lod_level=2)
    rnn = DynamicRnn()
    given = embedded(text, "words")
    with rnn.loop.block():
        sentence = nn.sequence_lod.sequence_pool(rnn.step_input(given), "max")
        state = rnn.memory(width=WIDTH)
        after = nn.fc([sentence, state], WIDTH, activation="tanh")
        rnn.update(state, after)
        rnn.output(after)
        rnn.end_step()
    out, = rnn()
    return [text], [out, nn.sequence_lod.sequence_last_step(out)]


def beams():
    """Translation as it is used: beam search in a loop, states of sentences expanded to their prefixes."""
    source = words("source")
    first_ids = static.data("first_ids", [-1, 1], "int64", lod_level=2)
    first_scores = static.data("first_scores", [-1, 1], "float32", lod_level=2)
    _, last = encoded(source)
    step, most = number(0), number(5)
    states, ids, scores = array("float32"), array("int64"), array("float32")
    for value, kept in ((last, states), (first_ids, ids), (first_scores, scores)):
        write(value, step, kept)
    going = call("less_than", {"X": step, "Y": most}, {"Out": "bool"})
    loop = paddle.static.nn.control_flow.While(going)
    with loop.block():
        pre_ids, pre_scores, pre_state = read(ids, step), read(scores, step), read(states, step)
        state = nn.sequence_lod.sequence_expand(pre_state, pre_scores)
        after = nn.fc([state, embedded(pre_ids, "target_words")], WIDTH, activation="tanh")
        of_prefixes = call("lod_reset", {"X": after, "Y": pre_scores}, {"Out": "float32"})
        chance = nn.fc(of_prefixes, WORDS, activation="softmax")
        best, places = variable("float32"), variable("int64")
        call("top_k", {"X": chance}, {"Out": best, "Indices": places}, k=2 * BEAM)
        whole = call("elementwise_add", {"X": paddle.log(best), "Y": paddle.reshape(pre_scores, [-1])},
                     {"Out": "float32"}, axis=0)
        chosen, chosen_scores, parents = variable("int64"), variable("float32"), variable("int32")
        call("beam_search", {"pre_ids": pre_ids, "pre_scores": pre_scores, "ids": places, "scores": whole},
             {"selected_ids": chosen, "selected_scores": chosen_scores, "parent_idx": parents}, level=0,
             beam_size=BEAM, end_id=END, is_accumulated=True)
        paddle.increment(step)
        for value, kept in ((after, states), (chosen, ids), (chosen_scores, scores)):
            write(value, step, kept)
        more = call("less_than", {"X": step, "Y": most}, {"Out": "bool"})
        some = paddle.logical_not(paddle.is_empty(chosen))
        call("logical_and", {"X": more, "Y": some}, {"Out": going})
    sentences, along = variable("int64"), variable("float32")
    call("beam_search_decode", {"Ids": ids, "Scores": scores}, {"SentenceIds": sentences, "SentenceScores": along},
         beam_size=BEAM, end_id=END)
    return [source, first_ids, first_scores], [sentences, along]


def decoder():
    """Beam search of a transformer: what it keeps is gathered by the prefix that each candidate continues."""
    source = static.data("source", [-1, 5, WIDTH], "float32")
    first_ids = static.data("first_ids", [-1, 1], "int64", lod_level=2)
    first_scores = static.data("first_scores", [-1, 1], "float32", lod_level=2)
    first_prefixes = static.data("first_prefixes", [-1], "int32")
    step, most = number(0), number(6)
    ids, scores = array("int64"), array("float32")
    write(first_ids, step, ids)
    write(first_scores, step, scores)
    going = call("less_than", {"X": step, "Y": most}, {"Out": "bool"})
    given, prefixes = paddle.assign(source), paddle.assign(first_prefixes)
    known = call("fill_constant_batch_size_like", {"Input": first_ids}, {"Out": "float32"}, shape=[-1, 0, WIDTH],
                 value=0.0, dtype=Kind.FP32, input_dim_idx=0, output_dim_idx=0)
    loop = paddle.static.nn.control_flow.While(going)
    with loop.block():
        pre_ids = paddle.reshape(read(ids, step), [-1, 1, 1])
        pre_scores = read(scores, step)
        states = paddle.gather(given, prefixes)
        word = paddle.reshape(embedded(pre_ids, "target_words"), [-1, 1, WIDTH])
        words_before = paddle.concat([paddle.gather(known, prefixes), word], 1)
        for keys in (words_before, states):
            weights = paddle.nn.functional.softmax(paddle.matmul(word, keys, transpose_y=True))
            word = word + paddle.matmul(weights, keys)
        logits = nn.fc(nn.layer_norm(word, begin_norm_axis=2), WORDS, num_flatten_dims=2)
        chance = paddle.nn.functional.softmax(paddle.reshape(logits, [-1, WORDS]))
        best, places = variable("float32"), variable("int64")
        call("top_k", {"X": chance}, {"Out": best, "Indices": places}, k=BEAM)
        whole = call("elementwise_add", {"X": paddle.log(best), "Y": paddle.reshape(pre_scores, [-1])},
                     {"Out": "float32"}, axis=0)
        whole = call("lod_reset", {"X": whole, "Y": pre_ids}, {"Out": "float32"})
        chosen, chosen_scores, parents = variable("int64"), variable("float32"), variable("int32")
        call("beam_search", {"pre_ids": pre_ids, "pre_scores": pre_scores, "ids": places, "scores": whole},
             {"selected_ids": chosen, "selected_scores": chosen_scores, "parent_idx": parents}, level=0,
             beam_size=BEAM, end_id=END, is_accumulated=True)
        paddle.increment(step)
        write(chosen, step, ids)
        write(chosen_scores, step, scores)
        for value, kept in ((parents, prefixes), (states, given), (words_before, known)):
            paddle.assign(value, kept)
        more = call("less_than", {"X": step, "Y": most}, {"Out": "bool"})
        call("logical_and", {"X": more, "Y": paddle.logical_not(paddle.is_empty(chosen))}, {"Out": going})
    sentences, along = variable("int64"), variable("float32")
    call("beam_search_decode", {"Ids": ids, "Scores": scores}, {"SentenceIds": sentences, "SentenceScores": along},
         beam_size=BEAM, end_id=END)
    return [source, first_ids, first_scores, first_prefixes], [sentences, along]


def pairs():
    """Embeddings of hashed pairs of words, and a class found in a tree."""
    text, label = words("text"), static.data("label", [-1, 1], "int64")
    two = call("sequence_enumerate", {"X": text}, {"Out": "int64"}, win_size=2, pad_value=0)
    hashed = call("hash", {"X": two}, {"Out": "int64"}, num_hash=2, mod_by=WORDS)
    rows = paddle.reshape(embedded(hashed, "pairs"), [-1, 2 * WIDTH])
    rows = call("lod_reset", {"X": rows, "Y": text}, {"Out": "float32"})
    hidden = nn.fc(nn.sequence_lod.sequence_pool(rows, "average"), WIDTH, activation="sigmoid")
    weight = static.create_parameter([WORDS - 1, WIDTH], "float32")
    bias = static.create_parameter([WORDS - 1, 1], "float32")
    loss = call("hierarchical_sigmoid", {"X": hidden, "W": weight, "Bias": bias, "Label": label},
                {"Out": "float32", "PreOut": "float32", "W_Out": "float32"}, num_classes=WORDS, is_sparse=False)
    return [text, label], [hashed, loss]


def steps():
    """A StaticRNN, over time that the program does not know, there and back: a language model."""
    text = static.data("text", [-1, 3, 1], "int64")
    given = paddle.reshape(embedded(text, "words"), [-1, 3, WIDTH])
    outs = []
    for reverse in (False, True):
        init = paddle.full([3, WIDTH], 0.5)
        main = static.default_main_program()
        inner = main._create_block()
        word = inner.create_var(name=given.name, shape=[3, WIDTH], dtype="float32")
        state = variable("float32", shape=[3, WIDTH])
        after = nn.fc([word, state], WIDTH, activation="tanh")
        results = [after, nn.fc(after, WORDS, activation="softmax")]
        main._rollback()
        made = [block().create_var(name=one.name, dtype="float32", shape=[-1, *one.shape]) for one in results]
        known = {name for op in inner.ops for name in op.output_arg_names} | {given.name, state.name}
        read_outside = sorted({name for op in inner.ops for name in op.input_arg_names} - known)
        block().append_op(type="recurrent", inputs={"inputs": [given], "initial_states": [init],
                                                    "parameters": read_outside},
                          outputs={"outputs": made, "step_scopes": [variable(kind=Kind.STEP_SCOPES)]},
                          attrs={"has_states": True, "ex_states": [state.name], "states": [after.name],
                                 "sub_block": inner, "reverse": reverse})
        outs += made
    return [text], outs


def ids(*lod):
    """Words of sequences of these lengths, by level."""
    return random.randint(0, WORDS, (sum(lod[-1]), 1)).astype("int64"), list(lod)


def starts(sources):
    lod = [[1] * sources, [1] * sources]
    return {"first_ids": (np.zeros((sources, 1), "int64"), lod), "first_scores": (np.ones((sources, 1), "float32"), lod)}


def decoded(sources):
    return {"source": (random.normal(size=(sources, 5, WIDTH)).astype("float32"), None), **starts(sources),
            "first_prefixes": (np.arange(sources).astype("int32"), None)}


PROGRAMS = {
    "attention": (attention, [{"source": ids([3, 1, 4]), "target": ids([2, 5, 2])},
                              {"source": ids([2]), "target": ids([1])}]),
    "paragraphs": (paragraphs, [{"text": ids([2, 1, 3], [1, 2, 3, 1, 1, 2])}, {"text": ids([1], [4])}]),
    "steps": (steps, [{"text": (random.randint(0, WORDS, (4, 3, 1)), None)},
                      {"text": (random.randint(0, WORDS, (1, 3, 1)), None)}]),
    "decoder": (decoder, [decoded(2), decoded(1)]),
    "pairs": (pairs, [{"text": ids([3, 1]), "label": (np.array([[3], [0]]), None)},
                      {"text": ids([4]), "label": (np.array([[11]]), None)}]),
    "beams": (beams, [{"source": ids([3, 1, 4]), **starts(3)}, {"source": ids([2]), **starts(1)}]),
}


def feed_of(value):
    array, lod = value
    tensor = core.LoDTensor()
    tensor.set(array, paddle.CPUPlace())
    if lod:
        tensor.set_recursive_sequence_lengths(lod)
    return tensor


def export(folder, make, runs):
    paddle.enable_static()
    paddle.seed(3)
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup), unique_name.guard(), static.scope_guard(static.Scope()):
        feeds, fetches = make()
        executor = static.Executor()
        executor.run(startup)
        for parameter in main.all_parameters():  # Large enough that scores differ.
            tensor = static.global_scope().find_var(parameter.name).get_tensor()
            tensor.set(random.normal(size=parameter.shape).astype("float32"), paddle.CPUPlace())
        arrays, lods = {}, {}
        for r, run in enumerate(runs):
            # Arrays of a scope keep what an earlier run wrote.
            results = executor.run(main, {name: feed_of(value) for name, value in run.items()}, fetches,
                                   return_numpy=False, scope=static.global_scope().new_scope())
            for key, array, lod in ([(f"{r}.in.{name}", *value) for name, value in run.items()] +
                                    [(f"{r}.out.{n}", np.array(out), out.recursive_sequence_lengths())
                                     for n, out in enumerate(results)]):
                arrays[key], lods[key] = array, [[int(n) for n in level] for level in lod or []] or None
        folder.mkdir(parents=True, exist_ok=True)
        program = static.normalize_program(main, feeds, fetches)
        for op in (op for one in program.blocks for op in one.ops):
            op._remove_attr("op_callstack")  # Names of files.
        (folder / "__model__").write_bytes(program.desc.serialize_to_string())
        (folder / "__params__").write_bytes(static.serialize_persistables(feeds, fetches, executor, program=program))
        np.savez_compressed(folder / "golden.npz", lod=json.dumps(lods), **arrays)


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1])
    for name, (make, runs) in PROGRAMS.items():
        if len(sys.argv) < 3 or name in sys.argv[2:]:
            export(target / name, make, runs)
