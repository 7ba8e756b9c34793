import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Lines shown of the beginning and of the end: npm names the cause first, a compiler last. */
const SHOWN_LINES = 12;

const UNREACHABLE =
  'ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT|E50\\d|E403';

/** What node-gyp needs, any name of a row will do, and the environment variable that may name it instead. */
const BUILD_TOOLS = [
  {
    tool: 'Python 3',
    names: ['python3', 'python'],
    variables: ['NODE_GYP_FORCE_PYTHON', 'npm_config_python'],
  },
  { tool: 'make', names: ['make', 'gmake'], variables: ['MAKE'] },
  { tool: 'a C++ compiler', names: ['g++', 'c++', 'clang++'], variables: ['CXX'] },
];

const GET_BUILD_TOOLS = `  Debian, Ubuntu:  apt-get install python3 make g++
  Fedora:          dnf install python3 make gcc-c++
  Alpine:          apk add python3 make g++
  macOS:           xcode-select --install`;

/** Failures of npm that a person can put right, the most particular first. */
const CAUSES = [
  {
    when: (output) => isCompiling(output) && missingTools().length > 0,
    say: () =>
      `sqlite3 has to be compiled here, and this is missing: ${missingTools().join(', ')}.\n${GET_BUILD_TOOLS}`,
  },
  {
    when: (output) => isCompiling(output) && /gyp ERR!.*(-headers\.tar|nodejs\.org)/.test(output),
    say: () =>
      'sqlite3 has to be compiled here, and the C headers of Node could not be downloaded from nodejs.org.\n' +
      'Set npm_config_nodedir to a folder that has include/node/node.h of this Node (the .tar.xz of Node has it).',
  },
  {
    when: (output) => isCompiling(output),
    say: () => 'sqlite3 has to be compiled here, and that failed.',
  },
  {
    when: (output) => new RegExp(`npm (ERR!|error) code (${UNREACHABLE})`).test(output),
    say: () =>
      'the package registry cannot be reached. Is there a network, a proxy to be set (npm config set proxy), ' +
      'a mirror (npm config set registry)?\nOnce the packages are installed, no network is needed any more.',
  },
  {
    when: (output) => /npm (ERR!|error) code E404/.test(output),
    say: () => 'the package registry does not have a package that package-lock.json names.',
  },
  {
    when: (output) => /can only install packages when .* in sync/.test(output),
    say: () => 'package.json and package-lock.json do not belong together: run npm install.',
  },
  {
    when: (output) => /npm (ERR!|error) code (EACCES|EPERM|EROFS)/.test(output),
    say: () => 'node_modules/ cannot be written by this user.',
  },
  {
    when: (output) => /ENOSPC/.test(output),
    say: () => 'the disk is full.',
  },
];

/** In words what stopped `command`, then what it printed, shortened. */
export function explain(output, { command }) {
  const cause = CAUSES.find(({ when }) => when(output));
  const lines = output.trimEnd().split('\n');
  const shown =
    lines.length <= 2 * SHOWN_LINES
      ? lines
      : [...lines.slice(0, SHOWN_LINES), '…', ...lines.slice(-SHOWN_LINES)];
  return [`${command} failed${cause ? `: ${cause.say()}` : '.'}`, ...shown.map((line) => `  | ${line}`)].join(
    '\n',
  );
}

/** Only the compiler's own words count: prebuild-install also complains of the network before it gives way. */
function isCompiling(output) {
  return /gyp ERR!/.test(output);
}

function missingTools() {
  return BUILD_TOOLS.filter(
    ({ names, variables }) => !variables.some((name) => process.env[name]) && !names.some(isOnPath),
  ).map(({ tool }) => tool);
}

function isOnPath(name) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
