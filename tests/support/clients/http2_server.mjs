// http2_server.mjs CERT KEY: HTTP/2 over TLS on a port that it prints; /NUMBER is answered
// with that status.
import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';

const [cert, key] = process.argv.slice(2).map((path) => readFileSync(path));
const server = createSecureServer({ cert, key });
server.on('stream', (stream, headers) => {
	stream.respond({ ':status': Number(headers[':path'].slice(1)) });
	stream.end('text');
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
