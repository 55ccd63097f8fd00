import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;

/** UrlLoop TIMEOUT WORD...   see Loop; HttpURLConnection, which keeps connections by itself. */
class UrlLoop {
    public static void main(String[] args) throws Exception {
        int timeout = Loop.millis(args[0]);
        SSLContext context = Loop.trust();
        if (context != null) {
            HttpsURLConnection.setDefaultSSLSocketFactory(context.getSocketFactory());
        }
        Loop.run(args, url -> {
            HttpURLConnection connection = (HttpURLConnection) new URL(url).openConnection();
            connection.setConnectTimeout(timeout);
            connection.setReadTimeout(timeout);
            int status = connection.getResponseCode();
            try (InputStream body =
                    status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
                return status + " " + (body == null ? "" : new String(body.readAllBytes()).strip());
            }
        });
    }
}
