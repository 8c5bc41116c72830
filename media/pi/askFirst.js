/**
 * For Pi: asks before it runs a command, writes a file, edits one, or uses any other tool that is not known to only read. Pi itself asks for nothing.
 * Without somebody to ask, the answer is no. `pi --mode rpc --extension PATH/askFirst.js`
 */
const onlyRead = new Set(['read', 'grep', 'find', 'ls', 'search', 'glob', 'ast_grep', 'todo_write']);

/** Undefined for input of a form that is not known, which is shown as it is. */
const describe = {
  bash: ({ command, ...more }) => isText(command) && { title: 'Run this command?', message: withMore(command, more) },
  write: ({ path, content, ...more }) => isText(path) && isText(content) && { title: `Write ${path}?`, message: withMore(content, more) },
  edit({ path, ...changes }) {
    const { edits, ...one } = changes;
    const list = Array.isArray(edits) ? edits : [one];
    const isKnown = isText(path) && list.length > 0 && list.every(isEdit) && (list[0] === one || Object.keys(one).length === 0);
    return isKnown && { title: `Edit ${path}?`, message: list.map(editText).join('\n\n') };
  },
};

const isText = (value) => typeof value === 'string';
const isEdit = (edit) => Object.keys(edit ?? {}).length === 2 && isText(edit.oldText) && isText(edit.newText);
const editText = ({ oldText, newText }) => `${prefixed('-', oldText)}\n${prefixed('+', newText)}`;

/** Whatever else the tool is told changes what it does. */
function withMore(text, more) {
  return Object.keys(more).length === 0 ? text : `${text}\n${JSON.stringify(more, null, 2)}`;
}

const prefixed = (sign, text) => text.replaceAll(/^/gm, `${sign} `);

export default function askFirst(pi) {
  pi.on('tool_call', async ({ toolName, input }, { hasUI, ui }) => {
    if (onlyRead.has(toolName)) return undefined;
    const known = Object.hasOwn(describe, toolName) && describe[toolName](input ?? {});
    const { title, message } = known || { title: `Use the tool ${toolName}?`, message: JSON.stringify(input, null, 2) };
    const isAllowed = hasUI && (await ui.confirm(title, message));
    return isAllowed ? undefined : { block: true, reason: 'The user did not permit this.' };
  });
}
