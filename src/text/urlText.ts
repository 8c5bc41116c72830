/** Of an address that looks like one of somewhere else. @param host undefined: it does not @returns an empty text where there is nothing to say */
export function hostWarning(host: string | undefined): string {
  return host === undefined ? '' : `This address leads to ${host}.`;
}
