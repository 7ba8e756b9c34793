/** Facts that the annexes of a server state about themselves, for catalogues, pages and mails. The core reads none of them. */
declare module '../../serve/annex.ts' {
  interface PathFacts {
    readonly about: About;
  }
  interface ServePart {
    /** Limits that the quota applies. */
    readonly limits?: CallerLimits;
    /** Names of its pages for people; other pages link to them. */
    readonly offers?: readonly string[];
    /** I17: resized copies of pictures; without it, visitors load the originals. */
    readonly resizedPicture?: ResizedPicture;
  }
}

/** I17: pixels. `nginx` has these widths in its configuration, too. */
export type PictureWidth = 320 | 640 | 1280;

/**
 * The address of a copy with this width at most; null if there can be none. `server`: the calendar's own address, without a slash at its
 * end.
 */
export type ResizedPicture = (original: string, width: PictureWidth, server: string) => string | null;

/** I8: what a path answers; null for a path that is for operators, or for a page of this server. */
export type About = AboutPath | null;

interface AboutPath {
  /** GET by default. */
  readonly method?: 'post';
  /** JSON Schema of a POST's body. */
  readonly body?: object;
  /** One sentence. */
  readonly summary: string;
  readonly parameters?: Readonly<Record<string, AboutParameter>>;
  readonly answer: AboutAnswer;
  /** By status. Any status that is not listed is an error, in JSON. */
  readonly others?: Readonly<Record<number, AboutAnswer>>;
}

export interface AboutParameter {
  readonly about: string;
  /** JSON Schema. */
  readonly schema: object;
  readonly isRequired?: boolean;
  /** `query` by default. */
  readonly in?: 'header';
}

export const KEY: AboutParameter = {
  about: 'An application key. It identifies the caller; it does not restrict access.',
  schema: { type: 'string' },
};

export interface AboutAnswer {
  readonly about: string;
  /** Without its charset; undefined if there is no body. */
  readonly type?: string;
  /** JSON Schema of JSON; `#/components/schemas/` has the object types of the published schema by their names. */
  readonly schema?: object;
}

/** Requests a minute; null for no limit. */
export interface CallerLimits {
  /** For one address without a valid key. */
  readonly anonymous: number | null;
  /** For one application. */
  readonly keyed: number | null;
}
