/** Converts a prompt to Agent-CLI's input. */
import { HostError } from '../../base/errors.js';
import type { AvailableCommand, ContentBlock, HostCommand } from '../../session/model.js';
import { toAcceptedContent } from '../promptContent.js';
import type { Input } from './schema/messages.js';

/** What the protocol can do besides prompts. */
export const ownCommands: readonly { readonly name: HostCommand; readonly input: Input }[] = [
  { name: 'clear-context', input: 'ClearContext' },
  { name: 'regenerate', input: 'Regenerate' },
];

/** @throws HostError `unsupported` for audio, `usage` for a command with a text that it does not take */
export function toInput(content: readonly ContentBlock[], commands: readonly AvailableCommand[]): Input {
  const [first, ...others] = content;
  const command = first?.type === 'text' && others.length === 0 ? toCommand(first.text, commands) : undefined;
  if (command !== undefined) return command;
  const inputs = joinTexts(content.flatMap(toInputs));
  const [only] = inputs;
  return inputs.length === 1 && only !== undefined ? only : { Multi: inputs };
}

function toCommand(text: string, commands: readonly AvailableCommand[]): Input | undefined {
  const [, name = '', rest = ''] = /^\/(\S+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  const own = ownCommands.find((one) => one.name === name);
  if (own !== undefined) {
    if (rest !== '') throw new HostError('usage', { reason: 'command_takes_no_text', command: `/${name}` });
    return own.input;
  }
  if (!commands.some((one) => one.name === name)) return undefined;
  return { Instruction: { command: name, parameters: rest === '' ? {} : { args: rest } } };
}

/** Includes a text file in the prompt itself, because the program only tells its model the name of a file. */
function toInputs(block: ContentBlock): readonly Input[] {
  if (block.type === 'resource' && 'blob' in block.resource) {
    const { uri, mimeType, blob } = block.resource;
    return [{ File: { filename: uri.split(/[/\\]/).at(-1) ?? uri, content_type: mimeType ?? 'application/octet-stream', data: blob } }];
  }
  return toAcceptedContent([block], ['image']).map((accepted): Input => {
    if (accepted.type === 'image') return { Image: { data: accepted.data, mime_type: accepted.mimeType } };
    return { Text: accepted.type === 'text' ? accepted.text : 'uri' in accepted ? accepted.uri : '' };
  });
}

/** The program joins parts with a plus sign in between, which a single text avoids. */
function joinTexts(inputs: readonly Input[]): readonly Input[] {
  const joined: Input[] = [];
  for (const input of inputs) {
    const last = joined.at(-1);
    if (isText(input) && last !== undefined && isText(last)) joined.splice(-1, 1, { Text: `${last.Text}\n\n${input.Text}` });
    else joined.push(input);
  }
  return joined;
}

function isText(input: Input): input is { readonly Text: string } {
  return typeof input === 'object' && 'Text' in input;
}
