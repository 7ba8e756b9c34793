// The floor: node:http with prepared responses, by path.
//   node floor.mjs CONFIG      a file with `{ "/path": { "file": …, "coding"?: "br" } }`
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const config = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const answers = new Map(
  Object.entries(config).map(([path, { file, coding }]) => {
    const body = readFileSync(file);
    const headers = [
      'Content-Type',
      'application/json; charset=utf-8',
      'Content-Length',
      `${body.length}`,
      ...(coding === undefined ? [] : ['Content-Encoding', coding]),
    ];
    return [path, { body, headers }];
  }),
);

createServer((request, response) => {
  const answer = answers.get(request.url.split('?', 1)[0]);
  if (answer === undefined) return response.writeHead(404).end();
  response.writeHead(200, answer.headers);
  response.end(answer.body);
}).listen(Number(process.env.PORT), '127.0.0.1');
