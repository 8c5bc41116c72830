/**
 * Returns a warning about a misleading URL, or an empty text if there is nothing to warn about.
 * @param host undefined if the URL is not misleading
 */
export function hostWarning(host: string | undefined): string {
  return host === undefined ? '' : `This address leads to ${host}.`;
}
