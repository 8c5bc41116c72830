/** Variables that do not depend on the theme: fonts of the machine, in the default sizes of the editor. */
export const fonts = {
  'font-family': 'system-ui, "DejaVu Sans", sans-serif',
  'font-size': '13px',
  'editor-font-family': '"DejaVu Sans Mono", monospace',
  'editor-font-size': '14px',
};

export const fontVariables: readonly string[] = Object.keys(fonts);
