/** How the files of each type begin, as latin1. `.` stands for any byte. */
const beginnings = {
  'image/png': /^\x89PNG\r\n\x1a\n/,
  'image/jpeg': /^\xff\xd8\xff/,
  'image/gif': /^GIF8[79]a/,
  'image/webp': /^RIFF[\s\S]{4}WEBP/,
} as const;

/**
 * Detects the type of a picture from its content, whatever its name says.
 * @returns undefined for anything that pages do not show as a picture
 */
export function pictureType(bytes: Uint8Array): keyof typeof beginnings | undefined {
  const head = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  return (Object.keys(beginnings) as (keyof typeof beginnings)[]).find((type) => beginnings[type].test(head));
}
