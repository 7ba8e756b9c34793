/** A Prometheus histogram whose numbers are counted elsewhere: prom-client's own costs a microsecond a request and more. */
import { Histogram, type Registry } from 'prom-client';
import { type Labels, SECONDS, type Series } from '../traffic.ts';

export interface DurationsOptions {
  readonly name: string;
  readonly help: string;
  readonly registers: Registry[];
  readonly series: () => readonly Series[];
}

export function createDurations(options: DurationsOptions): void {
  new Durations(options);
}

const LABELS = ['route', 'operation', 'caller', 'application', 'outcome'] as const;

/** prom-client's type: a value of a histogram says which of its three names it has. */
type Found = Awaited<ReturnType<Histogram['get']>>;

class Durations extends Histogram {
  /** Never counts anything; knows what prom-client wants to be told of a histogram. */
  readonly #empty: Histogram;
  readonly #name: string;
  readonly #series: () => readonly Series[];

  constructor({ name, help, registers, series }: DurationsOptions) {
    super({ name, help, registers, labelNames: LABELS });
    this.#empty = new Histogram({ name, help, registers: [], labelNames: LABELS });
    this.#name = name;
    this.#series = series;
  }

  /** What both of the registry's ways of reading take. */
  override async get(): Promise<Found> {
    const empty = await this.#empty.get();
    return { ...empty, values: this.#series().flatMap((series) => this.#valuesOf(series)) };
  }

  /** The registry prefers this one for text. */
  getForPromString(): Promise<Found> {
    return this.get();
  }

  #valuesOf({ labels, count, seconds, buckets }: Series): Found['values'] {
    let sum = 0;
    const own: Readonly<Record<keyof Labels, string>> = labels;
    const upTo = SECONDS.map((bound, place) => {
      sum += buckets[place] ?? 0;
      return { metricName: `${this.#name}_bucket`, labels: { le: bound, ...own }, value: sum };
    });
    return [
      ...upTo,
      { metricName: `${this.#name}_bucket`, labels: { le: '+Inf', ...own }, value: count },
      { metricName: `${this.#name}_sum`, labels: { ...own }, value: seconds },
      { metricName: `${this.#name}_count`, labels: { ...own }, value: count },
    ];
  }
}
