// node_http_loop.mjs TIMEOUT WORD...   see loop.mjs; http and https with agents that keep
import http from 'node:http';
import https from 'node:https';
import { run, timeoutMs } from './loop.mjs';

const agents = {
  'http:': new http.Agent({ keepAlive: true }),
  'https:': new https.Agent({ keepAlive: true }),
};

function ask(url) {
  const { protocol } = new URL(url);
  const { get } = protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: agents[protocol], timeout: timeoutMs }, (answer) => {
      let text = '';
      answer.on('data', (part) => { text += part; });
      answer.on('end', () => resolve([answer.statusCode, text]));
      answer.on('error', reject);
    });
    request.on('timeout', () => request.destroy(new Error('timed out')));
    request.on('error', reject);
  });
}

await run(ask);
for (const agent of Object.values(agents)) agent.destroy();
