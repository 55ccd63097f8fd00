// mcp_http_server.mjs [CERT KEY]: an MCP server over streamable HTTP, with TLS where it is given
// a certificate, with one tool. Prints its port; on stdin `down` shuts it and `up` opens it
// again, sessions and all; each is answered by a line that says how often a session was opened.
import http from "node:http";
import https from "node:https";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { randomUUID } from "node:crypto";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

const sessions = new Map();
let opened = 0;

async function open() {
	const server = new McpServer({ name: "carrier", version: "1.0.0" });
	const transport = new StreamableHTTPServerTransport({
		sessionIdGenerator: randomUUID,
		onsessioninitialized: (id) => {
			opened++;
			sessions.set(id, transport);
		},
	});

	server.tool("track", async () => ({ content: [{ type: "text", text: "on its way" }] }));
	await server.connect(transport);
	return transport;
}

async function serve(request, response) {
	const known = sessions.get(request.headers["mcp-session-id"]);

	await (known ?? (await open())).handleRequest(request, response);
}

const [cert, key] = process.argv.slice(2).map((path) => readFileSync(path));
const server = cert ? https.createServer({ cert, key }, serve) : http.createServer(serve);
let port = 0;

function listen() {
	server.listen(port, "127.0.0.1", () => {
		console.log(port === 0 ? (port = server.address().port) : opened);
	});
}

listen();
for await (const line of createInterface({ input: process.stdin })) {
	if (line === "up") {
		listen();
	} else {
		server.close(() => console.log(opened));
		server.closeAllConnections();
	}
}
process.exit();
