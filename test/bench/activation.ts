/** `npm run bench -- activation`: the cost of having ACP Host installed, as medians of 15 fresh processes. */
import { extensionBytes, limits, probeActivation, weighPage } from './footprint.js';
import { atMost, median, writeReport } from './report.js';

const probes = Array.from({ length: 15 }, probeActivation);
const page = weighPage();

writeReport('activation', [
  atMost('require-ms', median(probes.map(({ loadMs }) => loadMs)), limits.requireMs),
  atMost('activate-ms', median(probes.map(({ activateMs }) => activateMs)), limits.activateMs),
  atMost('bundle-bytes', extensionBytes(), limits.extensionBytes),
  atMost('other-files-loaded', Math.max(...probes.map(({ loaded }) => loaded.length - 1)), 0),
  atMost('programs-started', Math.max(...probes.map(({ started }) => started.length)), 0),
  atMost('page-script-gzip-bytes', page.gzipBytes, limits.pageGzipBytes),
  atMost('page-script-with-markdown-gzip-bytes', page.withMarkdownGzipBytes, limits.pageWithMarkdownGzipBytes),
  atMost('highlighter-files-in-page-script', page.inputs.filter((input) => input.includes('highlight.js')).length, 0),
]);
