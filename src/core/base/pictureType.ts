/** By how each of them begins, latin1. `.` stands for any byte. */
const beginnings = {
  'image/png': /^\x89PNG\r\n\x1a\n/,
  'image/jpeg': /^\xff\xd8\xff/,
  'image/gif': /^GIF8[79]a/,
  'image/webp': /^RIFF[\s\S]{4}WEBP/,
} as const;

/** What kind of picture it is, whatever its name says. @returns undefined: none that a page shows */
export function pictureType(bytes: Uint8Array): keyof typeof beginnings | undefined {
  const head = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  return (Object.keys(beginnings) as (keyof typeof beginnings)[]).find((type) => beginnings[type].test(head));
}
