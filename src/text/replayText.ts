/** The sentences for differences between a replay and its recording. */
import type { Deviation, FrameName } from '../core/index.js';

export function deviationText({ code, params }: Deviation): string {
  switch (code) {
    case 'line_unreadable':
      return `The client sent an invalid line: ${params.line}`;
    case 'client_left':
      return `The client left before the end of the trace, which continues with ${frameText(params.awaited)} (line ${params.line} of ${params.lines} of this process)`;
    case 'left_out':
      return `The client sent ${frameText(params.sent)}, but the trace continues with ${frameText(params.awaited)}: skipped`;
    case 'too_early':
      return `The client sent ${frameText(params.sent)}, but the trace continues with ${frameText(params.awaited)}: deferred`;
    case 'not_in_trace':
      return `The client sent ${frameText(params.sent)}, which the trace does not contain here`;
    case 'trace_gap':
      return `${params.messages} messages are missing from the trace here`;
    case 'request_missing':
      return `The trace responds to request ${params.id}, which it does not contain: skipped`;
  }
}

function frameText(frame: FrameName | undefined): string {
  switch (frame?.kind) {
    case undefined:
      return 'nothing more';
    case 'response':
      return frame.id === undefined ? 'a response' : `the response to the agent's request ${frame.id}`;
    case 'other':
      return 'a message of an unknown kind';
    default:
      return `the ${frame?.kind} ${frame?.method}`;
  }
}
