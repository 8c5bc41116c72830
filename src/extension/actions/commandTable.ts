import type { CommandTable } from './commands.js';
import type { Actions } from './actions.js';
import { type Reporter, withErrorReport } from './errorReport.js';

/** Every command; what goes wrong in it is shown instead of thrown. */
export function commandTable(
  operations: Actions,
  window: { showLog(): void; showSessionControls(): Promise<void> },
  reporter: Reporter,
): CommandTable {
  const reported = (work: () => void | Promise<void>) => (): Promise<void> => withErrorReport(work, reporter);
  return {
    'acpHost.openChat': reported(operations.openChat),
    'acpHost.openChatInEditor': reported(operations.openChatInEditor),
    'acpHost.newSession': reported(operations.newSession),
    'acpHost.showHistory': reported(operations.showHistory),
    'acpHost.cancelTurn': reported(operations.stop),
    'acpHost.restartAgent': reported(operations.restart),
    'acpHost.selectAgent': reported(operations.selectAgent),
    'acpHost.selectMode': reported(operations.selectMode),
    'acpHost.selectModel': reported(operations.selectModel),
    'acpHost.sessionControls': reported(window.showSessionControls),
    'acpHost.showLog': reported(window.showLog),
    'acpHost.showTraffic': reported(operations.showTraffic),
    'acpHost.reportProblem': reported(operations.reportProblem),
    'acpHost.doctor': reported(operations.doctor),
    'acpHost.addSelectionToChat': reported(operations.addSelectionToChat),
    'acpHost.setApiKey': reported(operations.setApiKey),
    'acpHost.signIn': reported(operations.signIn),
  };
}
