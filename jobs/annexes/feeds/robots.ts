/** robots.txt (RFC 9309): whether a program may ask for a path, and how long it pauses between two requests. */

interface Robots {
  /** Seconds between two requests; 0 by default. */
  readonly delay: number;
  readonly allows: (pathAndQuery: string) => boolean;
}

/** The rules for a program of that name in lower case, or those for all programs if it is not named. */
export function readRobots(text: string, agent: string): Robots {
  const groups = groupsIn(text);
  const named = groups.filter(({ agents }) => agents.includes(agent));
  const applied = named.length > 0 ? named : groups.filter(({ agents }) => agents.includes('*'));
  // 2.2.2: the longest match counts; of equal ones the one that allows.
  const rules = applied.flatMap((group) => group.rules).sort(byPrecedence);
  return {
    delay: Math.max(0, ...applied.map(({ delay }) => delay)),
    allows: (pathAndQuery: string) =>
      rules.find((rule) => matches(rule.path, pathAndQuery))?.isAllowed ?? true,
  };
}

interface Rule {
  readonly isAllowed: boolean;
  readonly path: string;
}

function byPrecedence(left: Rule, right: Rule): number {
  return right.path.length - left.path.length || Number(right.isAllowed) - Number(left.isAllowed);
}

interface Group {
  readonly agents: string[];
  readonly rules: Rule[];
  delay: number;
}

/** Enough for real hosts; further rules are ignored. */
const MOST_RULES = 1_000;
const LONGEST_LINE = 2_000;
const MOST_SECONDS = 3_600;

function groupsIn(text: string): readonly Group[] {
  const groups: Group[] = [];
  // Several agents in a row begin one group.
  let isNamingAgents = false;
  let rules = 0;
  for (const line of text.split(/\r\n?|\n/)) {
    const [field, value] = fieldIn(line);
    if (field === 'user-agent') {
      if (!isNamingAgents) groups.push({ agents: [], rules: [], delay: 0 });
      groups.at(-1)?.agents.push(value.toLowerCase());
      isNamingAgents = true;
      continue;
    }
    if (field === '') continue;
    isNamingAgents = false;
    const group = groups.at(-1);
    if (field === 'crawl-delay' && group !== undefined)
      group.delay = Math.min(Number(value) || 0, MOST_SECONDS);
    if (!/^(?:dis)?allow$/.test(field) || value === '' || ++rules > MOST_RULES) continue;
    group?.rules.push({ isAllowed: field === 'allow', path: encoded(value) });
  }
  return groups;
}

/** `Disallow: /search # not for robots`; the field is empty for any other line. */
function fieldIn(line: string): readonly [field: string, value: string] {
  const [, name = '', value = ''] =
    /^\s*([a-z-]{1,20})\s*:\s*([^#]*?)\s*(?:#.*)?$/i.exec(line.slice(0, LONGEST_LINE)) ?? [];
  return [name.toLowerCase(), value];
}

/** Paths of URLs have no other letters than ASCII: `/søk` is `/s%C3%B8k`. */
function encoded(path: string): string {
  return path
    .replace(/[^\0-\x7f]+/g, (letters) => Buffer.from(letters).toString('hex').replace(/../g, '%$&'))
    .replace(/%[\da-f]{2}/g, (code) => code.toUpperCase());
}

/** `*` matches any text, `$` the end. Each piece is searched for once, so that the time is linear. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$');
  const [head = '', ...pieces] = (isWhole ? pattern.slice(0, -1) : pattern).split('*');
  if (!path.startsWith(head)) return false;
  const last = isWhole ? pieces.pop() : undefined;
  if (isWhole && last === undefined) return path === head;
  let at = head.length;
  for (const piece of pieces) {
    const found = path.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return last === undefined || (path.length - last.length >= at && path.endsWith(last));
}
