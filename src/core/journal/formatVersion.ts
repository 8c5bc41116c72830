/**
 * Of the files that are written. Those of an older version are read (upgradeEvents.ts) and not written to: the program that wrote them may still
 * be in use, and must not meet lines that it does not know. 2: `request_opened` and `request_closed` in the place of `ask_opened` and `ask_closed`, one `options` in that of
 * `modes`, `mode` and `config_options`, and `by` in that of `how`. 3: `tool_delta` lines. 4: lines that name the writer of those that
 * follow.
 */
export const formatVersion = 4;
