// The floor: node:http answering with bytes that are known beforehand, by path.
//   node bare.mjs CONFIG      a file with `{ "/path": { "file": …, "coding"?: "br", "read"?: true } }`
// `read`: the body of each request is read and parsed first.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const config = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const answers = new Map(
  Object.entries(config).map(([path, { file, coding, read = false }]) => {
    const body = readFileSync(file);
    const headers = [
      ...['Content-Type', 'application/json; charset=utf-8', 'Content-Length', `${body.length}`],
      ...(coding === undefined ? [] : ['Content-Encoding', coding]),
    ];
    return [path, { body, headers, read }];
  }),
);

function send(response, { headers, body }) {
  response.writeHead(200, headers);
  response.end(body);
}

createServer((request, response) => {
  const answer = answers.get(request.url.split('?', 1)[0]);
  if (answer === undefined) return response.writeHead(404).end();
  if (!answer.read) return send(response, answer);
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    JSON.parse(Buffer.concat(chunks).toString() || '{}');
    send(response, answer);
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
