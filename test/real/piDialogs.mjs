/** An extension for the real Pi that opens every kind of dialog and reports the answers: `/dialogs`. */
export default function dialogs(pi) {
  pi.registerCommand('dialogs', {
    description: 'Opens every dialog',
    async handler(_, { ui }) {
      const answers = [
        await ui.select('Which?', ['Allow', 'Block']),
        await ui.confirm('Sure?', 'It is only a test.'),
        await ui.input('Name?', 'your name'),
        await ui.editor('Edit', 'Line 1\nLine 2'),
        await ui.confirm('Quick?', 'Or not.', { timeout: 300 }),
      ];
      ui.setStatus('dialogs', 'done');
      ui.notify(JSON.stringify(answers), 'warning');
    },
  });
}
