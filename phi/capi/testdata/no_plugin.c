// SPDX-License-Identifier: Apache-2.0
// A shared library that is no plugin.
int NoPlugin(void);
int NoPlugin(void) { return 0; }
