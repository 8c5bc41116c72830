/**
 * The processor time of this process, in milliseconds. What a function costs must not hang on what else the machine does: tests that tell a cost that
 * grows with the square from one that grows with the length measure this, with a limit that is far from both.
 */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
