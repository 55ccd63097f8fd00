# Asks for each URL after the other, in a multi handle of libcurl.
library(curl)
pool <- new_pool()
for (url in commandArgs(TRUE)) {
	curl_fetch_multi(url, pool = pool, handle = new_handle(timeout = 2L),
		done = function(answer) cat(answer$status_code, "\n", sep = ""),
		fail = function(text) cat("failed: ", text, "\n", sep = ""))
	multi_run(pool = pool)
}
