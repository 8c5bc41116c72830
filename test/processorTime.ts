/**
 * Returns the processor time of this process in milliseconds. Tests that distinguish quadratic from linear cost measure it with a generous
 * limit, because the result must not depend on other load of the machine.
 */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
