/** The part of package.json that lists the commands. VS Code has validated it, so activation need not. */
interface Manifest {
  readonly contributes: { readonly commands: readonly { readonly command: string }[] };
}

/** @returns the ids of the extension's commands, without a table that activation would have to load */
export function contributedCommands({ packageJSON }: { readonly packageJSON: Manifest }): readonly string[] {
  return packageJSON.contributes.commands.map(({ command }) => command);
}
