// The core runs without an editor: here `vscode` is a module with nothing in it, so an import of it does not compile.
export {};
