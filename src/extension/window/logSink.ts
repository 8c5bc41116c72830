/** The only output channel. Everything passes the redactor first. */
import * as vscode from 'vscode';
import type { Disposable, Logger, Redactor } from '../../core/index.js';

export type LogSink = ReturnType<typeof createLogSink>;

export function createLogSink(redactor: Redactor) {
  const channel = vscode.window.createOutputChannel('ACP Host', { log: true });
  const write =
    (level: keyof Logger) =>
    (message: string, ...facts: readonly unknown[]): void => {
      channel[level](redactor.text([message, ...facts.map(factText)].join(' ')));
    };
  return {
    log: { trace: write('trace'), debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') } satisfies Logger,
    show: (): void => channel.show(true),
    /** Fires when the user sets the log to its finest level; fires at once if it already is. */
    onTracing(listener: () => void): Disposable {
      const look = (level: vscode.LogLevel): void => {
        if (level === vscode.LogLevel.Trace) listener();
      };
      look(channel.logLevel);
      return channel.onDidChangeLogLevel(look);
    },
    dispose: (): void => channel.dispose(),
  };
}

function factText(fact: unknown): string {
  if (typeof fact === 'string') return fact;
  if (fact instanceof Error)
    return fact.cause === undefined ? (fact.stack ?? fact.message) : `${fact.stack ?? fact.message}\n  caused by ${factText(fact.cause)}`;
  return JSON.stringify(fact) ?? String(fact);
}
