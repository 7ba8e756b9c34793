/** D6: `public, max-age=N` for each N there can be, made once; `private` where a key is in the URL. */
export type CacheControl = (seconds: number, isPrivate: boolean) => string;

export function createCacheControl(maxAge: number): CacheControl {
  const upTo = (scope: string) =>
    Array.from({ length: Math.min(maxAge, MOST_MADE) + 1 }, (_, seconds) => `${scope}, max-age=${seconds}`);
  const known = { public: upTo('public'), private: upTo('private') };
  return (seconds, isPrivate) => {
    const scope = isPrivate ? 'private' : 'public';
    return known[scope][seconds] ?? `${scope}, max-age=${seconds}`;
  };
}

const MOST_MADE = 3_600;
