/** Colours of the editor's own default themes, as a webview gets them. Only what the page uses. */

export type ThemeName = 'dark' | 'light' | 'highContrast';

export interface Theme {
  readonly className: string;
  readonly variables: Readonly<Record<string, string>>;
}

const fonts = { 'font-family': 'system-ui, "DejaVu Sans", sans-serif', 'font-size': '13px', 'editor-font-family': '"DejaVu Sans Mono", monospace', 'editor-font-size': '12px' };

const dark = {
  ...fonts,
  'editor-background': '#1f1f1f', 'list-inactiveSelectionBackground': '#37373d', 'list-activeSelectionBackground': '#04395e', 'list-activeSelectionForeground': '#ffffff',
  foreground: '#cccccc', descriptionForeground: '#9d9d9d', errorForeground: '#f85149', focusBorder: '#0078d4', 'sideBar-background': '#181818',
  'input-background': '#313131', 'input-foreground': '#cccccc', 'input-border': '#3c3c3c', 'input-placeholderForeground': '#989898', 'editorWidget-background': '#202020', 'widget-border': '#313131', 'widget-shadow': 'rgba(0, 0, 0, 0.36)',
  'sideBarSectionHeader-border': '#2b2b2b', 'list-hoverBackground': '#2a2d2e', 'toolbar-hoverBackground': 'rgba(90, 93, 94, 0.31)', 'textCodeBlock-background': '#2b2b2b', 'textPreformat-foreground': '#d0d0d0', 'textLink-foreground': '#4daafc',
  'textBlockQuote-border': '#616161', 'textBlockQuote-background': '#2b2b2b', 'button-background': '#0078d4', 'button-foreground': '#ffffff', 'button-hoverBackground': '#026ec1', 'button-secondaryBackground': '#313131', 'button-secondaryForeground': '#cccccc', 'button-secondaryHoverBackground': '#3c3c3c',
  'editorWarning-foreground': '#cca700', 'editorInfo-foreground': '#59a4f9', 'testing-iconPassed': '#73c991', 'gitDecoration-addedResourceForeground': '#81b88b', 'gitDecoration-deletedResourceForeground': '#e0705f',
  'diffEditor-insertedLineBackground': 'rgba(155, 185, 85, 0.2)', 'diffEditor-removedLineBackground': 'rgba(255, 0, 0, 0.2)', 'selection-background': '#264f78', 'progressBar-background': '#0078d4', 'scrollbarSlider-background': 'rgba(121, 121, 121, 0.4)',
  'dropdown-background': '#313131', 'dropdown-foreground': '#cccccc', 'editorSuggestWidget-background': '#202020', 'editorSuggestWidget-border': '#454545', 'editorSuggestWidget-selectedBackground': '#04395e', 'editorSuggestWidget-selectedForeground': '#ffffff',
  'debugTokenExpression-boolean': '#4e94ce', 'debugTokenExpression-string': '#ce9178', 'debugTokenExpression-number': '#b5cea8', 'debugTokenExpression-name': '#c586c0', 'debugTokenExpression-type': '#4a90e2',
};

const light = {
  ...fonts,
  'editor-background': '#ffffff', 'list-inactiveSelectionBackground': '#e4e6f1', 'list-activeSelectionBackground': '#e8e8e8', 'list-activeSelectionForeground': '#000000',
  foreground: '#3b3b3b', descriptionForeground: '#3b3b3b', errorForeground: '#c72e0f', focusBorder: '#005fb8', 'sideBar-background': '#f8f8f8',
  'input-background': '#ffffff', 'input-foreground': '#3b3b3b', 'input-border': '#cecece', 'input-placeholderForeground': '#767676', 'editorWidget-background': '#f8f8f8', 'widget-border': '#e5e5e5', 'widget-shadow': 'rgba(0, 0, 0, 0.16)',
  'sideBarSectionHeader-border': '#e5e5e5', 'list-hoverBackground': '#f2f2f2', 'toolbar-hoverBackground': 'rgba(184, 184, 184, 0.31)', 'textCodeBlock-background': '#ededed', 'textPreformat-foreground': '#3b3b3b', 'textLink-foreground': '#005fb8',
  'textBlockQuote-border': '#e5e5e5', 'textBlockQuote-background': '#f8f8f8', 'button-background': '#005fb8', 'button-foreground': '#ffffff', 'button-hoverBackground': '#0258a8', 'button-secondaryBackground': '#e5e5e5', 'button-secondaryForeground': '#3b3b3b', 'button-secondaryHoverBackground': '#cccccc',
  'editorWarning-foreground': '#bf8803', 'editorInfo-foreground': '#1a85ff', 'testing-iconPassed': '#387a3d', 'gitDecoration-addedResourceForeground': '#4b7a0a', 'gitDecoration-deletedResourceForeground': '#ad0707',
  'diffEditor-insertedLineBackground': 'rgba(155, 185, 85, 0.2)', 'diffEditor-removedLineBackground': 'rgba(255, 0, 0, 0.2)', 'selection-background': '#add6ff', 'progressBar-background': '#005fb8', 'scrollbarSlider-background': 'rgba(100, 100, 100, 0.4)',
  'dropdown-background': '#ffffff', 'dropdown-foreground': '#3b3b3b', 'editorSuggestWidget-background': '#f8f8f8', 'editorSuggestWidget-border': '#c8c8c8', 'editorSuggestWidget-selectedBackground': '#e8e8e8', 'editorSuggestWidget-selectedForeground': '#000000',
  'debugTokenExpression-boolean': '#0000ff', 'debugTokenExpression-string': '#a31515', 'debugTokenExpression-number': '#098658', 'debugTokenExpression-name': '#9b46b0', 'debugTokenExpression-type': '#267f99',
};

const highContrast = {
  ...fonts,
  'editor-background': '#000000',
  foreground: '#ffffff', descriptionForeground: '#ffffff', errorForeground: '#f48771', focusBorder: '#f38518', contrastBorder: '#6fc3df', contrastActiveBorder: '#f38518', 'sideBar-background': '#000000',
  'input-background': '#000000', 'input-foreground': '#ffffff', 'input-border': '#6fc3df', 'input-placeholderForeground': '#ffffff', 'editorWidget-background': '#0c141f', 'textCodeBlock-background': '#000000', 'textPreformat-foreground': '#ffffff', 'textLink-foreground': '#21a6ff',
  'textBlockQuote-border': '#ffffff', 'button-background': '#000000', 'button-foreground': '#ffffff', 'button-border': '#6fc3df', 'button-secondaryBackground': '#000000', 'button-secondaryForeground': '#ffffff', 'list-hoverBackground': 'rgba(255, 255, 255, 0.1)',
  'editorWarning-foreground': '#ffd370', 'editorInfo-foreground': '#59a4f9', 'testing-iconPassed': '#73c991', 'gitDecoration-addedResourceForeground': '#a1e3ad', 'gitDecoration-deletedResourceForeground': '#ff9c8f',
  'selection-background': '#008000', 'progressBar-background': '#6fc3df', 'scrollbarSlider-background': 'rgba(111, 195, 223, 0.6)', 'dropdown-background': '#000000', 'dropdown-foreground': '#ffffff',
  'editorSuggestWidget-background': '#0c141f', 'editorSuggestWidget-border': '#6fc3df', 'editorSuggestWidget-selectedBackground': '#04395e', 'editorSuggestWidget-selectedForeground': '#ffffff',
  'diffEditor-insertedLineBackground': 'transparent', 'diffEditor-removedLineBackground': 'transparent', 'toolbar-hoverBackground': 'rgba(255, 255, 255, 0.2)',
  'debugTokenExpression-boolean': '#75bdfe', 'debugTokenExpression-string': '#f48771', 'debugTokenExpression-number': '#89d185', 'debugTokenExpression-name': '#ffffff', 'debugTokenExpression-type': '#ffffff',
};

export const themes: Readonly<Record<ThemeName, Theme>> = {
  dark: { className: 'vscode-dark', variables: dark },
  light: { className: 'vscode-light', variables: light },
  highContrast: { className: 'vscode-high-contrast', variables: highContrast },
};
