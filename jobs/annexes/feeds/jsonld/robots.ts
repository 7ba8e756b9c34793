/** robots.txt (RFC 9309): whether a program may ask for a path, and how long it pauses between two requests. */

export interface Robots {
  /** Seconds between two requests; 0 by default. */
  readonly delay: number;
  readonly allows: (pathAndQuery: string) => boolean;
}

/** The rules for a program of that name in lower case, or those for all programs if it is not named. */
export function readRobots(text: string, agent: string): Robots {
  const groups = groupsIn(text);
  const named = groups.filter(({ agents }) => agents.includes(agent));
  const applied = named.length > 0 ? named : groups.filter(({ agents }) => agents.includes('*'));
  // 2.2.2: the longest match counts; of equally long ones, the one that allows.
  const rules = applied.flatMap((group) => group.rules).sort(byPrecedence);
  function allows(pathAndQuery: string): boolean {
    const longestMatch = rules.find(({ path }) => matches(path, pathAndQuery));
    return longestMatch?.isAllowed ?? true;
  }

  return { delay: Math.max(0, ...applied.map(({ delay }) => delay)), allows };
}

interface Rule {
  readonly isAllowed: boolean;
  readonly path: string;
}

function byPrecedence(left: Rule, right: Rule): number {
  return right.path.length - left.path.length || Number(right.isAllowed) - Number(left.isAllowed);
}

/** The rules for some programs. */
interface Group {
  /** In lower case; `*` for all programs. */
  readonly agents: string[];
  readonly rules: Rule[];
  /** Seconds. */
  delay: number;
}

/** Enough for real hosts; further rules are ignored. */
const MOST_RULES = 1_000;
/** Characters; the rest of a line is ignored. */
const LONGEST_LINE = 2_000;
const MOST_DELAY_SECONDS = 3_600;

function groupsIn(text: string): readonly Group[] {
  const groups: Group[] = [];
  let isNamingAgents = false;
  let ruleCount = 0;
  for (const line of text.split(/\r\n?|\n/)) {
    const [field, value] = fieldIn(line);
    if (field === '') continue;
    if (field === 'user-agent') {
      // Several agents in a row begin one group.
      if (!isNamingAgents) groups.push({ agents: [], rules: [], delay: 0 });
      groups.at(-1)?.agents.push(value.toLowerCase());
      isNamingAgents = true;
      continue;
    }
    isNamingAgents = false;
    const group = groups.at(-1);
    if (group === undefined) continue;
    if (field === 'crawl-delay') group.delay = Math.min(Number(value) || 0, MOST_DELAY_SECONDS);
    const isRule = (field === 'allow' || field === 'disallow') && value !== '';
    if (!isRule || ruleCount === MOST_RULES) continue;
    ruleCount += 1;
    group.rules.push({ isAllowed: field === 'allow', path: encoded(value) });
  }
  return groups;
}

/** `Disallow: /search # not for robots`; the field is empty for any other line. */
function fieldIn(line: string): readonly [field: string, value: string] {
  const [, name = '', value = ''] =
    /^\s*([a-z-]{1,20})\s*:\s*([^#]*?)\s*(?:#.*)?$/i.exec(line.slice(0, LONGEST_LINE)) ?? [];
  return [name.toLowerCase(), value];
}

/** In paths of URLs, letters beyond ASCII are encoded: `/søk` is `/s%C3%B8k`. */
function encoded(path: string): string {
  return path
    .replace(/[^\0-\x7f]+/g, (letters) => Buffer.from(letters).toString('hex').replace(/../g, '%$&'))
    .replace(/%[\da-f]{2}/g, (code) => code.toUpperCase());
}

/** `*` matches any text, `$` the end. Each piece is searched for once, so that the time is linear. */
function matches(pattern: string, path: string): boolean {
  const isAnchored = pattern.endsWith('$');
  const [head = '', ...pieces] = (isAnchored ? pattern.slice(0, -1) : pattern).split('*');
  if (!path.startsWith(head)) return false;
  const last = isAnchored ? pieces.pop() : undefined;
  if (isAnchored && last === undefined) return path === head;
  let position = head.length;
  for (const piece of pieces) {
    const found = path.indexOf(piece, position);
    if (found === -1) return false;
    position = found + piece.length;
  }
  return last === undefined || (path.length - last.length >= position && path.endsWith(last));
}
