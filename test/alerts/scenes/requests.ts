/** Requests that fail, are refused or take long. */
import {
  CLUSTER,
  failures,
  failuresOf,
  OF,
  QUIET,
  requests,
  requestsAt,
  type Scenes,
  type Series,
  TWO_SERVERS,
  upAt,
} from '../series.ts';

/** One of thirty requests a minute is answered; all others are refused to protect the server. */
const OVERLOADED: Series = {
  [requests('ok')]: '0+1x120',
  [requests('failed')]: '0+29x120',
  [failures('overloaded')]: '0+29x120',
  [failures('error')]: '0x120',
};

/** Requests without those of the address that is refused most. */
const others = (all: string, refused: string): Series => ({
  [`almanakk_others_requests_total{${OF}}`]: all,
  [`almanakk_others_refused_total{${OF}}`]: refused,
});

/** Responses within a second, and all responses. */
const durations = (quick: string, all: string): Series => ({
  [bucket('1')]: quick,
  [bucket('2.5')]: all,
  [bucket('+Inf')]: all,
});
const bucket = (most: string) => `almanakk_request_duration_seconds_bucket{${OF},le="${most}"}`;

export const REQUESTS: Scenes = {
  'a failure in sixteen requests': {
    series: { ...QUIET, [requests('ok')]: '0+600x1500', [requests('failed')]: '0+40x1500' },
    at: 60,
    fires: ['RequestsFail'],
    isOutage: true,
  },
  'a failure in forty requests': {
    series: { ...QUIET, [requests('ok')]: '0+600x1500', [requests('failed')]: '0+15x1500' },
    at: 60,
    fires: ['SomeRequestsFail'],
  },
  'a failure in six hundred requests on a busy site': {
    series: { ...QUIET, [requests('ok')]: '0+6000x1500', [requests('failed')]: '0+10x1500' },
    at: 60,
  },
  'two failures on a quiet site': {
    series: { ...QUIET, [requests('ok')]: '500x1500', [requests('failed')]: '0x30 2x100' },
    at: 50,
  },
  'failures of which each server has a few': {
    series: {
      ...TWO_SERVERS,
      [requestsAt(4000, 'failed')]: '0+2x120',
      [requestsAt(4001, 'failed')]: '0+2x120',
    },
    at: 60,
    fires: ['RequestsFail'],
    isOutage: true,
  },
  'servers that refuse most requests of many addresses': {
    series: { ...QUIET, ...OVERLOADED, ...others('0+29x120', '0+28x120') },
    at: 60,
    fires: ['ManyRequestsRefused', 'MostRequestsRefused'],
    isOutage: true,
  },
  'servers that see a single address, and refuse most of its requests': {
    series: { ...QUIET, ...OVERLOADED, ...others('0+1x120', '0x120') },
    at: 60,
    fires: ['ManyRequestsRefused', 'MostRequestsRefused'],
    isOutage: true,
  },
  'servers that refuse most requests of one address, and serve the others': {
    series: { ...QUIET, ...OVERLOADED, [requests('ok')]: '0+11x120', ...others('0+11x120', '0+1x120') },
    at: 60,
    fires: ['ManyRequestsRefused'],
  },
  'servers that refuse most of a hundred requests within two minutes': {
    series: {
      ...QUIET,
      [requests('ok')]: '0+10x120',
      [requests('failed')]: '0x20 50 100x100',
      [failures('overloaded')]: '0x20 50 100x100',
      [failures('error')]: '0x120',
    },
    at: 29,
  },
  'servers that refuse one of nine requests': {
    series: { ...QUIET, ...OVERLOADED, [requests('ok')]: '0+230x60' },
    at: 50,
    fires: ['ManyRequestsRefused'],
  },
  'one slow response of twenty': {
    series: { ...QUIET, [requests('ok')]: '0+20x60', ...durations('0+19x60', '0+20x60') },
    at: 50,
    fires: ['ResponsesSlow'],
  },
  'one slow response of two hundred': {
    series: { ...QUIET, [requests('ok')]: '0+200x60', ...durations('0+199x60', '0+200x60') },
    at: 50,
  },
  'servers that refuse one of thirty requests': {
    series: { ...QUIET, ...OVERLOADED, [requests('ok')]: '0+900x120' },
    at: 60,
    fires: ['RequestsRefused'],
  },
  'servers that refuse one of three hundred requests': {
    series: { ...QUIET, ...OVERLOADED, [requests('ok')]: '0+8700x120' },
    at: 60,
  },
  'a server with failures beside a busy one without': {
    series: {
      ...TWO_SERVERS,
      [requestsAt(4000, 'ok')]: '0+600x120',
      [requestsAt(4001, 'failed')]: '0+3x120',
    },
    at: 60,
    fires: ['SomeRequestsFail'],
  },
  'failures of a quiet calendar beside a busy one': {
    series: {
      [upAt(4000, 'byen')]: '1x60',
      [requestsAt(4000, 'ok', 'byen')]: '0+600x60',
      [requestsAt(4000, 'failed', 'byen')]: '0x60',
      [upAt(4100, 'festivalen')]: '1x60',
      [requestsAt(4100, 'ok', 'festivalen')]: '0+10x60',
      [requestsAt(4100, 'failed', 'festivalen')]: '0+2x60',
    },
    at: 30,
    fires: ['RequestsFail'],
    isOutage: true,
  },
  'a quiet site on which the first request of three applications fails': {
    series: {
      ...QUIET,
      [requests('ok')]: '500x1500',
      [requests('failed')]: '0x10 1x5 2x5 3x100',
      [failuresOf('One')]: '_x11 1x120',
      [failuresOf('Two')]: '_x17 1x120',
      [failuresOf('Three')]: '_x23 1x120',
    },
    at: 28,
    fires: ['MostRequestsFail'],
    isOutage: true,
  },
  'a pod that has failed once before Prometheus finds it': {
    series: { ...CLUSTER, [requests('ok')]: '_x10 0x110', [requests('failed')]: '_x10 1 2 3 4x107' },
    at: 20,
    fires: ['MostRequestsFail'],
    isOutage: true,
  },
  'a quiet site that fails always': {
    series: {
      ...QUIET,
      [requests('ok')]: '500x1500',
      [requests('failed')]: '0 0 1 1 1 1 1 2 2 2 2 2 3 3 3 3 3 4 4 4 4 4 5 5 5 5 5 6x100',
    },
    at: 29,
    fires: ['MostRequestsFail'],
    isOutage: true,
  },
  'a busy site on which one request an hour fails': {
    series: { ...QUIET, [requests('ok')]: '0+600x1500', [requests('failed')]: '0x60 1x60 2x60 3x60 4x60' },
    at: 200,
  },
};
