/**
 * Returns an agent's commands with names as users type them after a slash: some agents include the slash, or send names that are empty or
 * repeat. Of commands with the same name, the first one counts.
 */
export function usableCommands<C extends { readonly name: string }>(commands: readonly C[]): readonly C[] {
  const byName = new Map<string, C>();
  for (const command of commands) {
    const name = command.name.trim().replace(/^[\s/]+/, '');
    if (name !== '' && !byName.has(name)) byName.set(name, name === command.name ? command : { ...command, name });
  }
  return [...byName.values()];
}
