import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import javax.net.ssl.SSLContext;

/** HttpLoop TIMEOUT WORD...   see Loop; one java.net.http.HttpClient. */
class HttpLoop {
    public static void main(String[] args) throws Exception {
        Duration timeout = Duration.ofMillis(Loop.millis(args[0]));
        HttpClient.Builder builder = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1).connectTimeout(timeout);
        SSLContext context = Loop.trust();
        if (context != null) builder.sslContext(context);
        HttpClient client = builder.build();
        Loop.run(args, url -> {
            // The connect has the time-out above; let it be the first to end.
            HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                .timeout(timeout.plusMillis(500)).build();
            var answer = client.send(request, BodyHandlers.ofString());
            return answer.statusCode() + " " + answer.body().strip();
        });
    }
}
