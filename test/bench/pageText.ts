/** An answer with a typical mix, always the same: prose, lists, code, a table now and then. */

export function markdownOf(bytes: number): string {
  const parts: string[] = [];
  for (let section = 1, length = 0; length < bytes; section++) {
    const part = sectionOf(section);
    parts.push(part);
    length += part.length;
  }
  return parts.join('').slice(0, bytes);
}

function sectionOf(number: number): string {
  const prose = `The **parser** reads part ${number} twice, see \`src/part${number}.ts\` and [its notes](docs/part${number}.md). It keeps what it has read, so the second pass is short.\n\n`;
  const list = `- first, the tokens of part ${number}\n- then the *tree*, with \`${number}\` nodes\n- last the checks\n\n`;
  const code = `\`\`\`ts\nexport function part${number}(text: string): number {\n  // counts what is left\n  return text.length - ${number};\n}\n\`\`\`\n\n`;
  const table = number % 5 === 0 ? `| part | nodes |\n|---|--:|\n| ${number} | ${number * 7} |\n| all | 1 |\n\n` : '';
  return `## Part ${number}\n\n${prose}${list}${code}${table}${prose}`;
}
