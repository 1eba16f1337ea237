import Loading from "../new/loading";

export default Loading;
