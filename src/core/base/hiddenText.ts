/** Spells out what a text hides. One function for every place in which a person decides, in the page and in the terminal. */

/**
 * Control, format and direction characters, line and paragraph separators, lone surrogates, everything that Unicode draws as nothing
 * (variation selectors, fillers, tags, joiners), and the blank Braille pattern, which fonts draw as nothing. Tab and line feed are layout.
 */
const hidden = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** More marks than a script needs on one letter are drawn over the neighbors. */
const stackedMarks = /(?<=\p{M}{4})\p{M}+/gu;
/** An emoji may consist of several, joined or chosen by characters that are hidden otherwise. */
const emoji = /\p{Extended_Pictographic}(?:[\ufe0f\u200d]+|\p{Emoji_Modifier})+/gu;

/** Keeps lines and tabs, spells out everything else that is not visible: `<U+202E>`. Loses nothing but the `\r` of `\r\n`. */
export function revealHidden(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(hidden, spell).replace(stackedMarks, spellAll);
}

/** For what stands on one line exactly as it is, such as a path: spells out line feeds and tabs, too. */
export function revealOnOneLine(text: string): string {
  return text
    .replace(/[\t\r\n]/g, spell)
    .replace(hidden, spell)
    .replace(stackedMarks, spellAll);
}

/** For words that stand on one line: white space is one space. */
export function foldToOneLine(text: string): string {
  return revealHidden(text.replace(/\s+/g, ' ').trim());
}

/** Whether something of a text is not visible. An emoji's own characters do not count. */
export function hidesText(text: string): boolean {
  return text.replace(/\r\n/g, '\n').replace(emoji, '').search(hidden) >= 0;
}

function spell(character: string): string {
  return `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;
}

function spellAll(characters: string): string {
  return [...characters].map(spell).join('');
}
