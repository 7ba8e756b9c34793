// The answers to the last questions, as a front end may see them: at most a minute old. almanakk tells caches the same (`max-age`).

const MILLISECONDS = 60_000;
const MOST = 1_000;

/** The result gives the cached promise for a key, or that of `make`. Equal questions at the same time are answered once. */
export function createAnswerCache() {
  const entries = new Map();
  return (key, make) => {
    const cached = entries.get(key);
    // The entries are in the order of their last use.
    entries.delete(key);
    if (cached !== undefined && Date.now() < cached.until) {
      entries.set(key, cached);
      return cached.answer;
    }
    const answer = make();
    entries.set(key, { answer, until: Date.now() + MILLISECONDS });
    if (entries.size > MOST) entries.delete(entries.keys().next().value);
    answer.catch(() => entries.delete(key));
    return answer;
  };
}
