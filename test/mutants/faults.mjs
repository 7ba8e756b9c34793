// Faults that the tests in the same folder must catch: operators, constants, conditions, and lines that are missing.

/**
 * `find` must occur exactly once in `file`; it is replaced with `put`. `tests`: the test files that run, by a regular expression on their paths
 * below test/.
 */
export const FAULTS = [
  // A filter, the window and the plan.
  inFile('src/snapshot/filters/where.ts', '^src/serve/(filters|near)', [
    ['venuesByMunicipality.get(fold(name))', 'venuesByMunicipality.get(name)'],
    ["  subtract(rows, rowsFlagged(columns, 'online'));\n", ''],
  ]),
  inFile('src/snapshot/filters/what.ts', '^src/serve/filters', [
    ["if (mode === 'online') intersect", "if (mode === 'offline') intersect"],
  ]),
  inFile('src/snapshot/filters/tickets.ts', '^src/serve/filters', [
    ["condition: removeFlagged('soldOut')", "condition: keepFlagged('soldOut')"],
  ]),
  inFile('src/snapshot/filters/when.ts', '^src/serve/(filters|query-bounds)', [
    ["right === '24:00' ? 24 * 60 : parseMinute(right)", 'parseMinute(right)'],
  ]),
  inFile('src/serve/query/lookups.ts', '^src/serve/(filters|near)', [
    ['    .sort((left, right) => left - right);', '    .reverse();'],
  ]),
  inFile('src/serve/query/shown-rows.ts', '^(answers|src/serve/filters)', [
    ['(over[row] as number) <= validAt) continue;', '(over[row] as number) < validAt) continue;'],
    ['(latestOver[word] as number) <= validAt', '(latestOver[word] as number) <= validAt + 3_600'],
    ['countUpTo(start, limit - 1)', 'countUpTo(start, limit)'],
    ['    subtract(rows, hidden);\n', ''],
    ['latest.fill(NEVER)', 'latest'],
  ]),
  inFile('src/serve/query/plan.ts', '^src/serve/(filters|near|query-bounds)', [
    ['pageSize: Math.min(pageSize, MAX_PAGE_SIZE)', 'pageSize'],
  ]),
  // Bounds on a stranger's document and body.
  inFile('src/serve/graphql/documents.ts', '^src/serve/hostile\\.test', [
    ['const MAX_TOKENS = 2_000;', 'const MAX_TOKENS = 4_000;'],
    ['parse(source, { maxTokens: MAX_TOKENS })', 'parse(source)'],
    [
      'specifiedRules.filter((rule) => rule',
      "specifiedRules.filter((rule) => rule.name !== 'MaxIntrospectionDepthRule' && rule",
    ],
  ]),
  inFile('src/serve/graphql/operation.ts', '^src/serve/hostile\\.test', [
    ['const MAX_LIST = 2_000;', 'const MAX_LIST = 4_000;'],
    ['fields.size > MAX_ROOT_FIELDS', 'fields.size > 2 * MAX_ROOT_FIELDS'],
  ]),
  inFile('src/serve/graphql/operation.ts', '^src/serve/query-bounds', [
    ['    this.#collected.set(positions, selections);\n', ''],
  ]),
  inFile('src/serve/http/body.ts', '^src/serve/hostile\\.test', [
    ['MAX_BODY_BYTES = 256 * 1_024', 'MAX_BODY_BYTES = 512 * 1_024'],
  ]),
  // Representations and the response cache.
  inFile('src/serve/http/representation.ts', '^src/serve/(representation|http/endpoint)', [
    ["one.startsWith('W/') ? one.slice(2) : one", 'one'],
    ['  for await (const piece of pieces) hash.update(piece);\n', ''],
  ]),
  inFile('src/serve/http/response-cache.ts', '^src/serve/response-cache', [
    ['if (epoch !== current) clear();', ''],
    [' && !isRefusal(made) && isCacheable(made)', ' && !isRefusal(made)'],
  ]),
  inFile('src/serve/admission/filtered-cache.ts', '^src/serve/response-cache', [
    ['wasSent(key) ||', 'true ||'],
  ]),
  // Admission.
  inFile('src/serve/admission/admission.ts', '^src/serve/admission', [
    ['this.#bytes <= SMALL_BYTES', 'this.#bytes <= 2 * SMALL_BYTES'],
    ['        admitted.leave();\n', ''],
  ]),
  inFile('src/serve/admission/semaphore.ts', '^src/serve/admission', [
    ['mostWaiting * PART_OF_ADDRESS', 'mostWaiting'],
    ['ahead * this.#interval > longestWait', 'false'],
    ['        share.queue.delete(waiting);\n', ''],
    ['const [first] = next.queue;', 'const first = [...next.queue].at(-1);'],
  ]),
  inFile('src/serve/admission/budget.ts', '^src/serve/admission', [
    ['usage.program + OPEN_SNAPSHOTS * usage.snapshot', 'usage.program + usage.snapshot'],
  ]),
  // The snapshot.
  inFile('src/snapshot/bitmaps.ts', '^src/snapshot/bitmaps', [
    ['31 - Math.clz32(word & -word)', '31 - Math.clz32(word)'],
    ['(ascending[middle] as number) <= limit', '(ascending[middle] as number) < limit'],
  ]),
  inFile('src/snapshot/folder.ts', '^src/snapshot/folder', [
    ['right.modified - left.modified', 'left.modified - right.modified'],
  ]),
  inFile('src/snapshot/manifest.ts', '^src/snapshot/folder', [
    ['if (!sha256.startsWith(id)) throw', 'if (sha256 === id) throw'],
    ['if (size <= LONGEST_MANIFEST) return', 'if (size > 0) return'],
  ]),
  inFile('src/snapshot/pins.ts', '^src/snapshot/keeper', [['      if (isReleased) return;\n', '']]),
  inFile('src/snapshot/keeper.ts', '^src/snapshot/(keeper|refused-deliveries)', [
    ['if ((await stampOf(path)).text !== stamp.text || this.#isStopping())', 'if (this.#isStopping())'],
  ]),
  inFile('src/snapshot/rehash.ts', '^src/snapshot/keeper', [
    ['now >= file.hashedAt + DAY_MS', 'now > file.hashedAt + DAY_MS'],
    ['now >= nextDoubtAt', 'now >= 0'],
  ]),
  inFile('src/snapshot/refused-deliveries.ts', '^src/snapshot/(keeper|refused-deliveries)', [
    ['2 * before.wait', 'before.wait'],
  ]),
  // From records to dates.
  inFile('jobs/materialise/dating.ts', '^jobs/materialise', [
    ['overAt(start, end) <= now;', 'overAt(start, end) < now;'],
    ['(horizonDay + 1) * DAY) - 1', '(horizonDay + 1) * DAY)'],
    ['...byRule].sort(byTimes)', '...byRule]'],
  ]),
  inFile('jobs/materialise/numbering.ts', '^jobs/materialise', [
    ['    if (occurrence.start !== start) before = 0;\n', ''],
  ]),
  inFile('jobs/materialise/series-occurrences.ts', '^jobs/materialise', [
    ['  if (end >= start) return true;\n', '  if (end !== start) return true;\n'],
  ]),
  inFile('jobs/materialise/programmes.ts', '^jobs/materialise', [
    ['const DEEPEST = 10;', 'const DEEPEST = 1;'],
  ]),
  inFile('jobs/materialise/directories.ts', '^jobs/materialise', [
    ['isTopLevel(category) ? [] : category.parent', '[]'],
  ]),
  inFile('jobs/slugs/links.ts', '^jobs/materialise', [
    ['eventLink === null ? ownSlug : slugOfLink(eventLink, ownSlug)', 'ownSlug'],
  ]),
  // Rules.
  inFile('jobs/recurrence/rule.ts', '^jobs/recurrence', [
    ["hour = '23', minute = '59'", "hour = '00', minute = '00'"],
  ]),
  inFile('jobs/recurrence/allowance.ts', '^jobs/recurrence', [
    ['if (next > most) return', 'if (next >= most) return'],
  ]),
  inFile('jobs/recurrence/expand.ts', '^jobs/recurrence', [
    ['position > 0 ? position - 1 : walls.length + position', 'position - 1'],
    ['Math.min(wanted.until, rule.until ?? wanted.until)', 'wanted.until'],
    ['count === null ? Math.floor(', 'count !== null ? Math.floor('],
  ]),
  inFile('jobs/recurrence/periods.ts', '^jobs/recurrence', [
    ['rule.weekStart - 3', 'rule.weekStart - 4'],
    ['day < end; day++', 'day < end - 1; day++'],
  ]),
  // Feeds that come in.
  inFile('jobs/annexes/feeds/jsonld/linked-data.ts', '^jobs/annexes/feeds/jsonld', [
    ["  if (isObject(value) && Array.isArray(value['@list'])) return value['@list'];\n", ''],
  ]),
  // Pages.
  inFile('src/annexes/listing/site/chips.ts', '^src/annexes/listing/site', [
    ['conditions.length > 1 ?', 'conditions.length > 2 ?'],
    ["[...names, 'page'].map((name) => [name, null])", 'names.map((name) => [name, null])'],
  ]),
  inFile('src/annexes/page/state-page.ts', '^src/annexes/events/refusal-page', [
    ['status: 503', 'status: 200'],
  ]),
  inFile('src/annexes/common/notices.ts', '^src/annexes/common/notices', [
    ['lines.slice(start + 1, end)', 'lines.slice(start + 2, end)'],
  ]),
  // Feeds.
  inFile('src/annexes/feeds/csv.ts', '^src/annexes/feeds/(lists|csv)', [
    ['.replace(RUNNABLE, "\'")', ''],
    ["text.replaceAll('\"', '\"\"')", 'text'],
  ]),
  inFile('src/annexes/feeds/icalendar.ts', '^src/annexes/feeds/(icalendar|round-trip)', [
    ['    while (((bytes[to] ?? 0) & 0xc0) === 0x80) to--;\n', ''],
    ['room = LONGEST_LINE - 1', 'room = LONGEST_LINE'],
    ["isCancelled ? 'CANCELLED' : 'CONFIRMED'", "isCancelled ? 'CONFIRMED' : 'CONFIRMED'"],
    ['end > start ? `DTEND', 'end > 0 ? `DTEND'],
  ]),
  inFile('src/annexes/feeds/json.ts', '^src/annexes/feeds/(lists|csv)', [
    ['(page + 1) * pageSize < total', '(page + 1) * pageSize <= total'],
    ['[location.longitude, location.latitude]', '[location.latitude, location.longitude]'],
  ]),
  inFile('src/annexes/feeds/rss.ts', '^src/annexes/feeds/rss', [['becameNext > now ? first : ', '']]),
].flat();

function inFile(file, tests, pairs) {
  return pairs.map(([find, put]) => ({ file, find, put, tests }));
}
