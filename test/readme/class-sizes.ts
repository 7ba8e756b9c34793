/** The size of each class of parts (.ci/classes.mjs): lines, pages, files, and the packages that it needs. */
import { builtinModules } from 'node:module';
// @ts-expect-error: plain JavaScript
import { CLASSES, classOf } from '../../.ci/classes.mjs';
import { filesIn, readPage } from './document.ts';
import { markdownTable } from './generated.ts';

const HEAD = [
  'class',
  'lines of TypeScript in `src` and `jobs`',
  'lines of tests',
  'lines of scripts, PHP, styles and configuration',
  'pages of `docs`',
  'files, without tests',
  'packages that no row above needs',
];

/** Files that others have written, or that programs make. */
const FOREIGN = /^test\/bench\/(?:work|results)\/|\/vendor\/|\.schema\.json$/;
const PAGE = /^docs\/[^/]+\.md$/;
const OTHER_TEXT =
  /\.(?:conf|css|graphql|html|js|json|mjs|php|service|sh|sources|timer|ya?ml)$|\/sbin\/almanakk/;
/** More packages than these are counted, not named. */
const MOST_NAMED = 3;

/** The table, in Markdown. Its numbers have two digits, so that few commits change them. */
export function classSizes(): string {
  const files = ['src', 'jobs', 'docs', 'test'].flatMap(filesIn).filter((path) => !FOREIGN.test(path));
  const earlier = new Set<string>();
  const rows = CLASSES.map((name: string) => {
    const all = files.filter((path) => classOf(path) === name);
    const tests = all.filter((path) => path.startsWith('test/'));
    const rest = all.filter((path) => !path.startsWith('test/'));
    const program = rest.filter((path) => path.endsWith('.ts'));
    const packages = program.flatMap(packagesOf).filter((found) => !earlier.has(found));
    for (const found of packages) earlier.add(found);
    return [
      name,
      linesOf(program),
      linesOf(tests.filter((path) => path.endsWith('.ts'))),
      linesOf(rest.filter((path) => OTHER_TEXT.test(path))),
      `${rest.filter((path) => PAGE.test(path)).length}`,
      rounded(rest.length),
      named([...new Set(packages)]),
    ];
  });
  return markdownTable(HEAD, rows);
}

function linesOf(paths: readonly string[]): string {
  return rounded(paths.reduce((sum, path) => sum + readPage(path).split('\n').length - 1, 0));
}

const rounded = (count: number): string => Number(count.toPrecision(2)).toLocaleString('en');

function named(packages: readonly string[]): string {
  if (packages.length === 0) return 'none';
  if (packages.length > MOST_NAMED) return `${packages.length}`;
  return packages.map((name) => `\`${name}\``).join(', ');
}

/** What a module imports, at once or late, except for files and modules of Node. */
const IMPORTED = /(?:^(?:import|export|\}).* from |^import |\bimport\()'(?!node:)([@a-z][^']*)'/gm;

/** The packages that a module imports. */
function packagesOf(path: string): readonly string[] {
  const specifiers = [...readPage(path).matchAll(IMPORTED)];
  const names = specifiers.map(([, name = '']) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
  return names.filter((name) => !builtinModules.includes(name));
}
