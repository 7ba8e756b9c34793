/** Workflows are pinned, have no more rights than they need, and their shell parses. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { packagePath } from '../src/package.ts';
import { assertAbove, assertIncludes } from './helpers/assertions.ts';
import { instructionsOf } from './helpers/containerfile.ts';
import { temporaryFolder } from './helpers/folder.ts';
import { isExpected, when, withPart } from './helpers/when.ts';
import { blocksOf, debianBlocks, TWO_MACHINES, theBlock } from './readme/blocks.ts';
import { readPage, spansIn, tableIn } from './readme/document.ts';

interface Step {
  readonly id?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly if?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly needs?: string | readonly string[];
  readonly container?: { readonly image: string };
  readonly steps: readonly Step[];
  readonly 'timeout-minutes'?: number;
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>> & {
    readonly pull_request?: { readonly paths?: readonly string[] } | null;
  };
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const FOLDER = packagePath('.github/workflows');
const TEXTS = Object.fromEntries(
  readdirSync(FOLDER).map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')]),
);
const workflowOf = (name: string): Workflow => parse(TEXTS[name] ?? '');
const JOBS = Object.keys(TEXTS).flatMap((name) =>
  Object.entries(workflowOf(name).jobs).map(([job, body]) => [`${name}, ${job}`, body] as const),
);

const workflows = suite('workflows');

workflows('should name each action by its commit, with the version beside it for readers', () => {
  for (const [name, text] of Object.entries(TEXTS)) {
    const lines = text.split('\n').filter((line) => /\buses:/.test(line));
    assertAbove(lines.length, 0, `lines in ${name}`);
    for (const line of lines)
      assert.match(line, /^ +- uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/, `${name}: ${line}`);
  }
});

workflows(
  'should look for advisories on the bundled packages too, which are development dependencies',
  () => {
    const commands = workflowOf('advisories.yml').jobs.audit?.steps.flatMap(({ run = [] }) => run);
    const [ofLockfile, ofCopies = ''] = commands ?? [];
    assert.is(ofLockfile, 'npm audit --package-lock-only --audit-level=high');
    const list = /node --print [^|]+packages\.json/.exec(ofCopies)?.[0] ?? '';
    const { stdout } = spawnSync('bash', ['-c', list], { cwd: packagePath('.'), encoding: 'utf8' });
    assert.equal(stdout.match(/^[\w-]+(?=@\d+\.\d+\.\d+$)/gm), [
      'graphiql',
      'codemirror',
      'graphql',
      'react',
      'react-dom',
    ]);
    assert.match(ofCopies, /^npm audit --prefix copies --audit-level=high$/m);
  },
);

withPart('docs/examples/nightly.yml', workflows)(
  'should name the same commits in docs/examples/nightly.yml, which dependabot does not renew',
  () => {
    const example = readFileSync(packagePath('docs/examples/nightly.yml'), 'utf8');
    const lines = [...example.matchAll(/uses: ((\S+)@.*)/g)];
    assertAbove(lines.length, 3, 'actions');
    const here = Object.values(TEXTS).join('\n');
    for (const [, pinned = '', action = ''] of lines) {
      assert.match(pinned, /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
      if (here.includes(`uses: ${action}@`)) assertIncludes(here, `uses: ${pinned}\n`);
    }
  },
);

workflows('should read only, unless a job says what it writes', () => {
  for (const name of Object.keys(TEXTS)) {
    const { on, permissions } = workflowOf(name);
    assert.ok(!('pull_request_target' in on), name);
    assert.not.match(Object.values(permissions).join(), 'write', name);
  }
  const writing = JOBS.flatMap(([name, { permissions = {} }]) => {
    const rights = Object.keys(permissions).filter((right) => permissions[right] === 'write');
    return rights.length > 0 ? [`${name}: ${rights.join(', ')}`] : [];
  });
  assert.equal(writing, [
    'release.yml, draft: contents',
    'release.yml, attest: attestations, id-token',
    'release.yml, publish: contents, packages',
  ]);
});

workflows('should let no job that runs code of the repository or its packages sign for a release', () => {
  for (const [name, { permissions = {}, steps }] of JOBS) {
    if (permissions['id-token'] === undefined) continue;
    for (const { uses = '' } of steps)
      assert.match(uses, /^actions\/(?:download-artifact|attest-build-provenance)@/, name);
  }
});

workflows(
  'should end each job in time, leave no token in its checkout, and put no name into its shell',
  () => {
    for (const [name, { steps, 'timeout-minutes': minutes }] of JOBS) {
      assert.type(minutes, 'number', name);
      for (const { uses = '', run = '', with: given } of steps) {
        if (uses.startsWith('actions/checkout@')) assert.is(given?.['persist-credentials'], false, name);
        // A branch may be called `$(…)`: what comes from outside goes through the environment.
        assert.not.match(run, '${{', name);
        const { status, stderr } = spawnSync('bash', ['-n', '-o', 'pipefail', '-c', run], {
          encoding: 'utf8',
        });
        assert.is(status, 0, `${name}: ${stderr}`);
      }
    }
  },
);

workflows('should test on each Node that is supported, and on both architectures', () => {
  const { run } = parse(TEXTS['ci.yml'] ?? '').jobs;
  const { node, runner, include } = run.strategy.matrix;
  const { engines } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
  const lowest = `${engines.node.replace('>=', '')}.0`;
  assert.equal([node, runner], [[lowest, 22, 24, 26], ['ubuntu-24.04']]);
  assert.equal(include, [{ runner: 'ubuntu-24.04-arm', node: 24 }]);
});

/** What the first job of ci.yml says of a pull request that changes these files. */
function scopeOf(files: readonly string[]): string {
  const script = workflowOf('ci.yml').jobs.check?.steps.at(-1)?.run;
  const output = join(temporaryFolder(), 'output');
  writeFileSync(output, '');
  const git = `git() { test "$*" = 'diff --name-only --no-renames HEAD^1 HEAD' && echo "$FILES"; }`;
  const env = { ...process.env, FILES: files.join('\n'), GITHUB_OUTPUT: output };
  const { status, stderr } = spawnSync('bash', ['-e', '-c', `${git}\n${script}`], { env, encoding: 'utf8' });
  assert.is(status, 0, stderr);
  return readFileSync(output, 'utf8');
}

workflows(
  'should run the whole matrix after the check, except for pull requests that change only documents',
  () => {
    const { check, run, documents, passed } = workflowOf('ci.yml').jobs;
    assert.equal(
      [run?.needs, documents?.needs, passed?.needs],
      ['check', 'check', ['check', 'run', 'documents']],
    );
    assert.equal(
      [check?.if, run?.if, documents?.if, passed?.if],
      [
        undefined,
        "needs.check.outputs.only_documents != 'yes'",
        "needs.check.outputs.only_documents == 'yes'",
        'always()',
      ],
    );
    const pages = ['README.md', 'CHANGELOG.md', 'docs/feeds-out.md', '.github/SECURITY.md'];
    assert.is(scopeOf(pages), 'only_documents=yes\n');
    for (const file of [
      'src/main.ts',
      'docs/almanakk.yaml',
      'test/fixtures/README.md',
      '"docs/\\303\\270.md"',
    ])
      assert.is(scopeOf(['README.md', file]), '', file);
    assert.is(scopeOf([]), '', 'no file');
  },
);

workflows('should have passed only if each job that the change needs has', () => {
  const script = workflowOf('ci.yml').jobs.passed?.steps[0]?.run ?? 'exit 2';
  const statusOf = (results: string) =>
    spawnSync('bash', ['-e', '-c', script], { env: { ...process.env, RESULTS: results } }).status;
  assert.is(statusOf('check success, run success, documents skipped'), 0);
  assert.is(statusOf('check success, run skipped, documents success'), 0);
  assert.is(statusOf('check success, run skipped, documents skipped'), 1);
  assert.is(statusOf('check success, run failure, documents skipped'), 1);
});

workflows(
  'should run .ci/run on Debian, whose packages it installs, in the image of the Containerfile',
  () => {
    const containerfile = readFileSync(packagePath('Containerfile'), 'utf8');
    const [, image] = /^FROM (\S+) AS build$/m.exec(containerfile) ?? [];
    for (const [name, job] of JOBS) {
      const isTest = /\.ci\/run|npm run release/.test(shellOf(job));
      assert.is(job.container?.image, isTest ? image : undefined, name);
    }
  },
);

/** All lines of a job's shell. */
const shellOf = ({ steps }: Job): string => steps.map(({ run = '' }) => run).join('');

/** Commands of a page's blocks with these words, without those in which the reader has to fill something in, such as a host. */
function documented(page: string, words: RegExp): readonly string[] {
  const blocks = blocksOf(page).filter(({ language, text }) => language === 'sh' && words.test(text));
  const commands = blocks.flatMap(({ text }) => text.trim().split('\n'));
  return commands.filter((line) => !/…|\.example/.test(line));
}

workflows('should run the commands that the documentation has for Compose and Kubernetes', () => {
  const { on, jobs } = workflowOf('containers.yml');
  const pages = ['docs/containers.md', 'docs/on-call.md', 'docs/scaling.md'];
  assert.equal(on.pull_request?.paths, ['**', '!**.md', ...pages]);
  const { compose, kubernetes } = jobs;
  if (compose === undefined || kubernetes === undefined) throw new Error('expected both jobs');
  assertIncludes(shellOf(compose), 'bash .ci/containers.sh docker');
  const script = readFileSync(packagePath('.ci/containers.sh'), 'utf8');
  assert.is(spawnSync('bash', ['-n', '-c', script]).status, 0);
  const ofCompose = documented('docs/containers.md', /^docker compose |^sh compose-/m);
  assertAbove(ofCompose.length, 3, 'commands');
  for (const line of ofCompose) assertIncludes(script, line);
  assertIncludes(shellOf(kubernetes), 'bash .ci/cluster.sh');
  const inCluster = readFileSync(packagePath('.ci/cluster.sh'), 'utf8');
  const ofKubernetes = ['docs/scaling.md', 'docs/on-call.md']
    .flatMap(blocksOf)
    .filter(({ language, text }) => language === 'sh' && /^(kubectl|sh kubernetes-)/m.test(text));
  assertAbove(ofKubernetes.length, 10, 'blocks');
  for (const { heading, key } of ofKubernetes)
    assertIncludes(inCluster, `run '${heading}' ${key.replace(/.* /, '')}`);
});

workflows('should follow each block of the guide for Debian on a machine with systemd, in order', () => {
  const { on, jobs } = workflowOf('debian.yml');
  const { install } = jobs;
  if (install === undefined) throw new Error('expected a job');
  for (const mode of ['install', 'restarted', 'leave', 'lost'])
    assertIncludes(shellOf(install), `/.ci/debian.sh ${mode}`);
  const script = packagePath('.ci/debian.sh');
  const { status, stdout, stderr } = spawnSync('bash', [script, 'print'], { encoding: 'utf8' });
  assert.is(status, 0, stderr);
  const pages = ['docs/operating.md', 'docs/upgrading.md'];
  assert.equal(on.pull_request?.paths, ['**', '!**.md', ...pages]);
  const wanted = debianBlocks().filter(({ page, file }) => pages.includes(page) && file === null);
  // On the administrator's own computer, which is this one here.
  const { text: identity } = theBlock({ says: /^age-keygen -y/m });
  assert.is(stdout.replace(identity, ''), wanted.map(({ text }) => text).join(''));
});

workflows('should follow each block of the guide for two Debian machines, in order', () => {
  const script = packagePath('.ci/debian-pair.sh');
  const { status, stdout, stderr } = spawnSync('bash', [script, 'print'], { encoding: 'utf8' });
  assert.is(status, 0, stderr);
  const blocks = blocksOf(TWO_MACHINES).filter(({ language }) => language === 'sh');
  assertAbove(blocks.length, 10, 'blocks');
  assert.is(stdout, blocks.map(({ text }) => text).join(''));
});

withPart('docs/examples/almanakk-events', workflows)(
  'should try the plugin for WordPress if it or its trial changes',
  () => {
    const { on, jobs } = workflowOf('wordpress.yml');
    const script = '.ci/wordpress.sh';
    assertIncludes(shellOf(jobs.try ?? { steps: [] }), `bash ${script} "$RELEASE"`);
    assert.is(spawnSync('bash', ['-n', packagePath(script)]).status, 0);
    const paths = on.pull_request?.paths ?? [];
    assert.equal(on.push, { branches: ['main'], paths });
    assertIncludes(paths.join(' '), `docs/examples/almanakk-events/** ${script}`);
    for (const path of paths) assert.ok(existsSync(packagePath(path.replace('/**', ''))), path);
  },
);

withPart('docs/kubernetes.yaml', workflows)(
  'should load the image that docs/kubernetes.yaml names into the cluster',
  () => {
    const { kubernetes } = parse(TEXTS['containers.yml'] ?? '').jobs;
    const images = readFileSync(packagePath('docs/kubernetes.yaml'), 'utf8').match(/(?<=image: )\S+/g);
    assert.equal([...new Set(images)], [kubernetes.env.IMAGE]);
  },
);

workflows(
  'should publish a release only when its files and its image are scanned, signed and checked',
  () => {
    const { jobs } = workflowOf('release.yml');
    /** The jobs that have passed before this one. */
    const before = (name: string): readonly string[] =>
      [jobs[name]?.needs ?? []].flat().flatMap((needed) => [...before(needed), needed]);
    assert.equal([...new Set(before('publish'))], ['package', 'image', 'scan', 'draft', 'attest']);
    const scripts = Object.entries(jobs).map(([name, job]) => [name, shellOf(job)] as const);
    /** The jobs with this command. */
    const running = (command: RegExp) =>
      scripts.flatMap(([name, shell]) => (command.test(shell) ? [name] : []));
    assert.equal(running(/gh release create/), ['draft']);
    assert.match(shellOf(jobs.draft ?? { steps: [] }), 'gh release create "$TAG" --draft ');
    assert.equal(running(/--draft=false/), ['publish']);
    // Whatever is in the registry is public, and stays there if a later job fails.
    assert.equal(running(/--push|docker:\/\/|imagetools create|\blogin\b/), ['publish']);
    assert.equal(running(/sbom,.* --attest type=provenance,mode=max/), ['image']);
    const page = readFileSync(packagePath('docs/releases.md'), 'utf8').replaceAll('\n', ' ');
    const [documented = ''] = page.match(/gh attestation verify[^`]*/) ?? [];
    const options = (command: string) => command.match(/--[\w-]+/g);
    const [checked = ''] = shellOf(jobs.publish ?? { steps: [] }).match(/gh attestation verify.*/) ?? [];
    assert.equal(options(checked), options(documented));
  },
);

const merging = when(isExpected('jq'), 'jq is not installed here', workflows);

/** As buildx exports it: an index of an image, and of its attestation. Gives the descriptors of both. */
function exportImage(folder: string, architecture: string): readonly unknown[] {
  const layout = join(folder, architecture);
  mkdirSync(join(layout, 'blobs/sha256'), { recursive: true });
  const add = (mediaType: string, content: string, more: object = {}) => {
    const hash = createHash('sha256').update(content).digest('hex');
    writeFileSync(join(layout, 'blobs/sha256', hash), content);
    return { mediaType, digest: `sha256:${hash}`, size: content.length, ...more };
  };
  const manifest = 'application/vnd.oci.image.manifest.v1+json';
  const index = 'application/vnd.oci.image.index.v1+json';
  const manifests = [
    add(manifest, `an image for ${architecture}`, { platform: { architecture, os: 'linux' } }),
    add(manifest, `its attestation ${architecture}`, {
      platform: { architecture: 'unknown', os: 'unknown' },
    }),
  ];
  const both = add(index, JSON.stringify({ schemaVersion: 2, mediaType: index, manifests }));
  writeFileSync(join(layout, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [both] }));
  const archive = join(folder, `image-${architecture}.tar`);
  spawnSync('tar', ['--create', '--file', archive, '--directory', layout, 'index.json', 'blobs']);
  return manifests;
}

merging('should make one image of those for both architectures, with their attestations', () => {
  const cwd = temporaryFolder();
  const manifests = ['amd64', 'arm64'].flatMap((architecture) => exportImage(cwd, architecture));
  const script = workflowOf('release.yml').jobs.draft?.steps.find(({ id }) => id === 'image')?.run ?? '';
  const output = join(cwd, 'output');
  const env = { ...process.env, GITHUB_OUTPUT: output, GITHUB_REPOSITORY: 'Town/Calendar', TAG: 'v1.2.3' };
  const { status, stderr } = spawnSync('bash', ['-e', '-c', script], { cwd, env, encoding: 'utf8' });
  assert.is(status, 0, stderr);
  const [named] = JSON.parse(readFileSync(join(cwd, 'image/index.json'), 'utf8')).manifests;
  const content = readFileSync(join(cwd, 'image/blobs', named.digest.replace(':', '/')), 'utf8');
  const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
  assert.equal([named.digest, named.size], [digest, content.length]);
  assert.equal(JSON.parse(content).manifests, manifests);
  assert.is(readFileSync(output, 'utf8'), `name=ghcr.io/town/calendar\ndigest=${digest}\n`);
  const notes = readFileSync(join(cwd, 'image.txt'), 'utf8').replaceAll(/(?<=^linux.*:)[0-9a-f]+$/gm, '…');
  assert.is(notes, `ghcr.io/town/calendar:1.2.3\n${digest}\nlinux/amd64: sha256:…\nlinux/arm64: sha256:…\n`);
});

workflows('should stop at the same vulnerabilities before a release and each day after it', () => {
  const scansOf = (name: string) =>
    JOBS.filter(([job]) => job.startsWith(name)).flatMap(([, { steps }]) =>
      steps.filter(({ uses = '' }) => uses.startsWith('anchore/scan-action@')),
    );
  const [released, ...more] = [...scansOf('release.yml'), ...scansOf('advisories.yml')];
  const { uses, with: given } = released ?? {};
  assert.equal(given, {
    image: 'almanakk',
    'severity-cutoff': 'high',
    'only-fixed': true,
    'output-format': 'table',
  });
  assert.equal(
    more.map((scan) => [scan.uses, scan.with]),
    [[uses, given]],
  );
  assert.ok('schedule' in workflowOf('advisories.yml').on);
});

/** The part of a version of CHANGELOG.md, as the workflow's own lines cut it out. */
workflows('should take a release’s notes from CHANGELOG.md', () => {
  const script = workflowOf('release.yml').jobs.draft?.steps.at(-1)?.run ?? '';
  const awk = /^ *(awk .*) > notes\.md$/m.exec(script)?.[1] ?? 'no awk';
  const input = '# Changelog\n\n## [1.10.0] - 2026-11-02\n\n- Ten.\n\n## [1.1.0] - 2026-11-01\n\n- One.\n';
  const run = (tag: string) => {
    const env = { ...process.env, TAG: tag };
    return spawnSync('bash', ['-c', awk], { input, env, encoding: 'utf8' }).stdout;
  };
  assert.is(run('v1.10.0'), '\n- Ten.\n\n');
  assert.is(run('v1.1.0'), '\n- One.\n');
  assert.is(run('v1.0.0'), '');
});

workflows('should have what dependabot renews: packages, actions, and images by their digest', () => {
  const { updates } = parse(readFileSync(packagePath('.github/dependabot.yml'), 'utf8'));
  assert.equal(
    updates.map((update: Readonly<Record<string, string>>) =>
      [update['package-ecosystem'], update.directory].join(' '),
    ),
    ['npm /', 'github-actions /', 'docker /', 'docker-compose /docs'],
  );
  const images = instructionsOf('FROM').map((image) => image.replace(/ AS \w+$/, ''));
  const compose = parse(readFileSync(packagePath('docs/compose.yaml'), 'utf8'));
  for (const image of [...images, compose.services.proxy.image])
    assert.match(image, /^docker\.io\/library\/\w+:\d+\.\d+\.\d+[\w-]*@sha256:[0-9a-f]{64}$/);
  const [build, run] = images.map((image) => image.replace(/@.*/, ''));
  assert.is(`${build}-slim`, run);
});

withPart('jobs/kit/s3.ts', workflows)(
  'should renew the packages of the bundle apart from tools, and have a row for each',
  () => {
    const { devDependencies } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
    // The list of the SBOM is made from this one.
    const folders: readonly string[] = JSON.parse(readFileSync(packagePath('dist/packages.json'), 'utf8'));
    const bundled = Object.keys(devDependencies).filter((name) => folders.includes(`node_modules/${name}`));
    assertAbove(bundled.length, 10, 'packages');
    const [npm] = parse(readFileSync(packagePath('.github/dependabot.yml'), 'utf8')).updates;
    // A package is in the first group that it matches.
    assert.equal(Object.keys(npm.groups), ['bundled', 'tools']);
    assert.equal(npm.groups.bundled.patterns, bundled.sort());
    const table = tableIn(readPage('docs/decisions.md'), 'All packages except sqlite3 are in the bundle');
    const [, , ...rows] = table.trim().split('\n');
    const names = rows.flatMap((row) => spansIn(row.split('|')[1] ?? ''));
    assert.equal(names.sort(), [...bundled, 'sqlite3'].sort());
  },
);

workflows.run();
