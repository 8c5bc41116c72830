/**
 * For Pi: asks before it runs a command, writes a file or edits one. Pi itself asks for nothing. Without somebody to ask, the answer is no.
 * `pi --mode rpc --extension PATH/askFirst.js`
 */
const describe = {
  bash: ({ command }) => ({ title: 'Run this command?', message: String(command) }),
  write: ({ path, content }) => ({ title: `Write ${path}?`, message: String(content) }),
  edit: ({ path, ...changes }) => ({ title: `Edit ${path}?`, message: editText(changes) }),
};

/** @param changes of one edit, or of several */
function editText({ edits, ...one }) {
  const list = Array.isArray(edits) ? edits : [one];
  return list.map(({ oldText, newText }) => `${prefixed('-', oldText)}\n${prefixed('+', newText)}`).join('\n\n');
}

const prefixed = (sign, text) => String(text).replaceAll(/^/gm, `${sign} `);

export default function askFirst(pi) {
  pi.on('tool_call', async ({ toolName, input }, { hasUI, ui }) => {
    if (!Object.hasOwn(describe, toolName)) return undefined;
    const { title, message } = describe[toolName](input);
    const isAllowed = hasUI && (await ui.confirm(title, message));
    return isAllowed ? undefined : { block: true, reason: 'The user did not permit this.' };
  });
}
