/** An extension of Pi that warns when an answer begins. */
export default function warn(pi) {
  pi.on('agent_start', (_, context) => context.ui.notify('Check the disk.', 'warning'));
}
