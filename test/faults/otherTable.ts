/** The table for the backends other than ACP: what a fault of a stand-in does to a conversation at each moment. */
import { piColumn } from './piTable.js';
import type { Column } from './rows.js';
import { cliColumn, serviceColumn } from './serverTable.js';
import { agentCli, agentService, pi, type Subject } from './subjects.js';
import { moments } from './table.js';

const columns: readonly (readonly [Subject, Column])[] = [
  [pi, piColumn],
  [agentCli, cliColumn],
  [agentService, serviceColumn],
];

const all = columns.flatMap(([subject, column]) =>
  Object.entries(column).flatMap(([fault, row]) =>
    moments.map((moment) => ({ subject, fault, moment, cell: typeof row === 'string' ? row : (row[moment] ?? row.otherwise) })),
  ),
);

export const otherCells = all.flatMap(({ cell, ...rest }) => (typeof cell === 'string' ? [] : [{ ...rest, expected: cell }]));
export const otherNoCells = all.flatMap(({ cell, ...rest }) => (typeof cell === 'string' ? [{ ...rest, cannot: cell }] : []));
