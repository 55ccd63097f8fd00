// mcp_server.mjs URL: a server with one tool, which asks for URL and tells what came of
// it, and how many variables of its environment are none of cutout's.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new McpServer({ name: "carrier", version: "1.0.0" });

server.tool("track", async () => {
	const said = await fetch(process.argv[2]).then(r => r.status, e => e.cause?.code ?? e.message);
	const own = Object.keys(process.env).filter(n => n != "LD_PRELOAD" && !n.startsWith("CUTOUT_"));
	return { content: [{ type: "text", text: `tool ${said} ${own.sort()}` }] };
});
await server.connect(new StdioServerTransport());
