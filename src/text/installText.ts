import type { InstallQuestion, InstallStep, InstallWay, KnownAgent } from '../core/index.js';
import { counted, megabytes } from './sentence.js';

/**
 * Returns the usual command that installs an agent, and the one with pip if there is one: it needs only what most machines have.
 * Call this if it is not known which of them the machine can run.
 */
export function installText({ command, otherCommands = [] }: NonNullable<KnownAgent['install']>): string {
  const withPip = otherCommands.filter((one) => one.startsWith('pip '));
  return [command, ...withPip].map((one) => `\`${one}\``).join(' or ');
}

/** Where an agent is installed from, in a word or two. */
export function sourceWord({ type }: InstallWay): string {
  return { npm: 'npm', python: 'Python', binary: 'download' }[type];
}

/** What would be needed to install an agent, and is missing; no sentence. */
export function needText(needs: 'npm' | 'python'): string {
  return needs === 'npm' ? 'needs Node.js' : 'needs uv or Python 3';
}

/** What is about to be installed, as lines. */
export function wayLines(way: InstallWay): readonly string[] {
  switch (way.type) {
    case 'npm':
      return [`From: npm, the package ${way.name}@${way.version}`, `Runs: npm install ${way.name}@${way.version} --ignore-scripts`];
    case 'python':
      return [
        `From: the Python Package Index, the package ${way.name}==${way.version}`,
        `Runs: the installation of ${way.name}==${way.version} with uv or pip. Packages that must be built first run programs of theirs`,
      ];
    case 'binary':
      return [
        `From: ${way.url}`,
        way.sha256 === undefined
          ? 'Not verified: its publisher gives no hash. You are asked again after the download'
          : `Verified by: SHA-256 ${way.sha256}`,
      ];
  }
}

/** What happens during an installation, in a few words. */
export function stepText(step: InstallStep): string {
  switch (step.type) {
    case 'downloading':
      return step.totalBytes === undefined
        ? `Downloading: ${megabytes(step.bytes)}`
        : `Downloading: ${megabytes(step.bytes)} of ${megabytes(step.totalBytes)}`;
    case 'unpacking':
      return 'Unpacking';
    case 'running':
      return `Running ${step.tool}`;
  }
}

/** A question in the middle of an installation: in one sentence, what there is to know, and the word for yes. */
export function questionText(
  question: InstallQuestion,
  agent: string,
): { readonly question: string; readonly detail: string; readonly yes: string } {
  switch (question.type) {
    case 'unverified':
      return {
        question: `Install ${agent} although its download can't be verified?`,
        detail: `${question.url}\n${megabytes(question.bytes)}, SHA-256 ${question.sha256}\n\nIts publisher gives no hash to compare. If you agree, ACP Host remembers this one, and refuses another file from this address.`,
        yes: 'Install',
      };
    case 'scripts':
      return {
        question: `Let ${counted(question.packages.length, 'package')} of ${agent} run install scripts?`,
        detail: `${question.packages.join(', ')}\n\nSuch scripts build or download what the package needs, with your permissions. Without them, the agent is installed, but may not start.`,
        yes: 'Run Scripts',
      };
  }
}
