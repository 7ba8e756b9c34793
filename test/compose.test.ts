/** docs/compose.yaml, held against the settings and the image. */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { readSettings } from '../jobs/settings.ts';
import { packagePath } from '../src/package.ts';
import { imageVariables, instructionsOf } from './helpers/containerfile.ts';
import { temporaryFolder } from './helpers/folder.ts';

const SAID: Readonly<Record<string, string>> = {
  DOMAIN: 'kalender.example',
  ADMIN_TOKEN: 'a-long-text-of-ours',
};

const readText = (file: string) => readFileSync(packagePath(file), 'utf8');
const written = readText('docs/compose.yaml');
/** As Compose reads it, where these two are set. */
const { services, configs, networks, volumes } = parse(
  written.replace(/\$\{(\w+)(?::\?[^}]*)?\}/g, (_, name: string) => SAID[name] ?? `no ${name}`),
);

const compose = suite('compose.yaml');

compose('should give the server settings that there are, with values that they take', () => {
  const environment = { ...imageVariables(), ...services.almanakk.environment };
  const { settings, warnings } = readSettings(environment, temporaryFolder());
  assert.equal(warnings, []);
  assert.is(String(settings.publicUrl), 'https://kalender.example/');
  assert.equal(Object.keys(SAID), [...new Set([...written.matchAll(/\$\{(\w+)/g)].map(([, name]) => name))]);
});

compose('should keep what the image writes in a volume, and trust the network that its proxy is in', () => {
  const { almanakk, proxy } = services;
  assert.equal(almanakk.volumes, [`data:${instructionsOf('VOLUME')[0]}`]);
  for (const mount of [...almanakk.volumes, ...proxy.volumes])
    assert.ok(mount.split(':')[0] in volumes, mount);
  assert.equal([almanakk.networks, proxy.networks], [['inside'], ['inside']]);
  assert.equal(networks.inside.ipam.config, [{ subnet: almanakk.environment.ALMANAKK_TRUST_PROXY }]);
  assert.ok(almanakk.read_only);
});

compose('should let only the proxy be reached from outside, and it the server', () => {
  const { almanakk, proxy } = services;
  assert.is(almanakk.ports, undefined);
  assert.equal(proxy.configs, [{ source: 'caddyfile', target: '/etc/caddy/Caddyfile' }]);
  const file = `kalender.example {\n  reverse_proxy almanakk:${instructionsOf('EXPOSE')[0]}\n}\n`;
  assert.equal(configs, { caddyfile: { content: file } });
});

compose.run();
