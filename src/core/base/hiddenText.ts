/** Makes hidden characters of a text visible. The page and the terminal use these functions wherever a user decides. */

/**
 * Matches control, format and direction characters, line and paragraph separators, lone surrogates, everything that Unicode renders as
 * nothing (variation selectors, fillers, tags, joiners), and the blank Braille pattern, which fonts render as nothing. Tabs and line feeds
 * are layout.
 */
const hidden = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** More combining marks on a letter than any script needs; they would cover neighboring text. */
const stackedMarks = /(?<=\p{M}{4})\p{M}+/gu;
/**
 * An emoji may be a sequence of several, joined or selected by characters that are otherwise hidden (Unicode Technical Standard 51): the flag
 * of England, Scotland or Wales, a key, or pictures.
 */
const emoji =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}|[\d#*]\ufe0f\u20e3|(?:\p{Extended_Pictographic}\p{Emoji_Modifier}?[\ufe0e\ufe0f]?(?:\u200d(?=\p{Extended_Pictographic}))?)+/gu;

/** Keeps line feeds and tabs, and spells out everything else that is invisible, such as `<U+202E>`. Only the `\r` of `\r\n` is lost. */
export function revealHidden(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(hidden, spell).replace(stackedMarks, spellAll);
}

/** For text that must appear exactly as it is on one line, such as a path: spells out line feeds and tabs too. */
export function revealOnOneLine(text: string): string {
  return text
    .replace(/[\t\r\n]/g, spell)
    .replace(hidden, spell)
    .replace(stackedMarks, spellAll);
}

/** For sentences on one line: replaces any white space by one space. */
export function foldToOneLine(text: string): string {
  return revealHidden(text.replace(/\s+/g, ' ').trim());
}

/** Whether a text contains invisible characters. Those that belong to an emoji don't count. */
export function hidesText(text: string): boolean {
  return text.replace(/\r\n/g, '\n').replace(emoji, '').search(hidden) >= 0;
}

function spell(character: string): string {
  return `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;
}

function spellAll(characters: string): string {
  return [...characters].map(spell).join('');
}
