/* Start PROGRAM [ARG...]: runs it with an empty environment. */
public class Start {
    public static void main(String[] args) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(args).inheritIO();
        builder.environment().clear();
        System.exit(builder.start().waitFor());
    }
}
