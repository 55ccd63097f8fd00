<?php
// read|unread URL...: one multi handle, one transfer after the other. Prints the error's
// number, the status and the error's text; `unread` never asks how a transfer ended.
[, $how] = $argv;
$multi = curl_multi_init();
foreach (array_slice($argv, 2) as $url) {
	$handle = curl_init($url);
	curl_setopt_array($handle, [CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => 2]);
	curl_multi_add_handle($multi, $handle);
	do {
		$status = curl_multi_exec($multi, $running);
		if ($running)
			curl_multi_select($multi);
	} while ($running && $status === CURLM_OK);
	while ($how === "read" && curl_multi_info_read($multi));
	echo curl_errno($handle), " ", curl_getinfo($handle, CURLINFO_RESPONSE_CODE), " ",
		curl_error($handle), "\n";
	curl_multi_remove_handle($multi, $handle);
}
