// The answers to the last questions, as a front end may see them: at most a minute old. almanakk tells caches the same (`max-age`).

const MILLISECONDS = 60_000;
const MOST = 1_000;

/** The result gives the cached promise for a key, or that of `make`. Equal questions at the same time are answered once. */
export function createAnswerCache() {
  const entries = new Map();
  return (key, make) => {
    const cached = entries.get(key);
    if (cached !== undefined && Date.now() < cached.until) return cached.answer;
    const answer = make();
    entries.delete(key);
    entries.set(key, { answer, until: Date.now() + MILLISECONDS });
    if (entries.size > MOST) entries.delete(entries.keys().next().value);
    answer.catch(() => entries.delete(key));
    return answer;
  };
}
