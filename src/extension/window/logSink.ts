/** The only output channel. Everything passes the redactor first. */
import * as vscode from 'vscode';
import type { Disposable, Event, Logger, Redactor } from '../../core/index.js';

export interface LogSink extends Disposable {
  readonly log: Logger;
  show(): void;
  /** Fires when the user sets the log to its finest level; fires at once if it already is. */
  readonly onTracing: Event<void>;
}

export function createLogSink(redactor: Redactor): LogSink {
  const channel = vscode.window.createOutputChannel('ACP Host', { log: true });
  const write =
    (level: keyof Logger) =>
    (message: string, ...facts: readonly unknown[]): void => {
      channel[level](redactor.text([message, ...facts.map(factText)].join(' ')));
    };
  return {
    log: { trace: write('trace'), debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') },
    show: () => channel.show(true),
    onTracing(listener) {
      const look = (level: vscode.LogLevel): void => {
        if (level === vscode.LogLevel.Trace) listener();
      };
      look(channel.logLevel);
      return channel.onDidChangeLogLevel(look);
    },
    dispose: () => channel.dispose(),
  };
}

function factText(fact: unknown): string {
  if (typeof fact === 'string') return fact;
  if (fact instanceof Error)
    return fact.cause === undefined ? (fact.stack ?? fact.message) : `${fact.stack ?? fact.message}\n  caused by ${factText(fact.cause)}`;
  return JSON.stringify(fact) ?? String(fact);
}
