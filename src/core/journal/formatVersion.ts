/**
 * The version of new files. Files of an older version are read (upgradeEvents.ts) but not written to, because the program that wrote them
 * may still be in use, and must not meet lines that it doesn't know. 2: `request_opened` and `request_closed` instead of `ask_opened` and
 * `ask_closed`, one `options` instead of `modes`, `mode` and `config_options`, and `by` instead of `how`. 3: `tool_delta` lines. 4: lines
 * that name the writer of the lines after them.
 */
export const formatVersion = 4;
