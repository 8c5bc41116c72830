/**
 * Loads what activation loads, in a fresh process with a stand-in for the editor, and prints what that took:
 * `{"loadMs":…,"activateMs":…,"loaded":[…],"started":[…]}`. Arguments: the bundle.
 */
const childProcess = require('node:child_process');
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const path = require('node:path');

/** Answers every property, call and construction with itself; nothing in it does anything. */
const anything = new Proxy(function () {}, {
  get: (_, name) => (typeof name === 'symbol' || name === 'then' ? undefined : anything),
  set: () => true,
  apply: () => anything,
  construct: () => anything,
});
/** A bundle copies the names it finds in a module, so those that activation uses are there by name. */
const editor = Object.fromEntries(
  [
    'EventEmitter',
    'StatusBarAlignment',
    'ThemeColor',
    'TreeItem',
    'TreeItemCollapsibleState',
    'Uri',
    'ViewColumn',
    'commands',
    'env',
    'window',
    'workspace',
  ].map((name) => [name, anything]),
);

const loadOfNode = Module._load;
Module._load = (request, ...rest) => (request === 'vscode' ? editor : loadOfNode(request, ...rest));

const started = [];
for (const name of ['spawn', 'fork', 'exec', 'execFile', 'spawnSync', 'execSync', 'execFileSync']) {
  childProcess[name] = (...args) => {
    started.push([name, args[0]]);
    throw new Error('Activation starts nothing.');
  };
}

const bundle = process.argv[2];
/** The editor has parsed it before it activates an extension. */
const packageJSON = JSON.parse(readFileSync(path.join(path.dirname(__filename), '../../package.json'), 'utf8'));
const before = performance.now();
const extension = require(bundle);
const loadMs = performance.now() - before;
extension.activate({ subscriptions: [], extension: { packageJSON }, globalState: { get: () => undefined } });
const activateMs = performance.now() - before - loadMs;

const loaded = Object.keys(require.cache)
  .filter((file) => file !== __filename)
  .map((file) => path.basename(file));
process.stdout.write(JSON.stringify({ loadMs, activateMs, loaded, started }));
